// SPDX-License-Identifier: GPL-2.0
/* Restart plan: what is put into a root's shell, of processes in any cgroup. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "commands/stale/restart_plan.c"

static struct process_unit units[8];

/* In place of /proc: the number of a process is that of its unit. */
void process_unit_read(uint32_t pid, struct process_unit *unit)
{
	*unit = units[pid % 8];
}

static void add(struct restart_plan *plan, uint32_t pid, const char *service, const char *comm)
{
	units[pid % 8] = (struct process_unit){ .uid = PROCESS_UNIT_NO_UID };
	snprintf(units[pid % 8].service, PROCESS_UNIT_NAME, "%s", service);
	assert_true(restart_plan_add(plan, pid, 0, comm));
}

static char *shown(struct restart_plan *plan, bool json, size_t *others)
{
	struct output out;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	out_init(&out, file, json);
	if (others)
		*others = restart_plan_units(plan, &out);
	else
		restart_plan_show(plan, &out);
	out_free(&out);
	fclose(file);
	restart_plan_free(plan);
	return text;
}

static void commands_are_as_a_shell_takes_them(void **state)
{
	struct restart_plan plan = {};
	char *text;

	(void)state;
	add(&plan, 2, "ssh.service", "sshd");
	add(&plan, 3, "app@a\\x2db.service", "app");
	add(&plan, 4, "ssh.service", "sshd");
	text = shown(&plan, false, NULL);
	assert_string_equal(text, "systemctl restart -- 'app@a\\x2db.service'\n"
				  "systemctl restart -- ssh.service\n");
	free(text);
}

static void what_ends_sessions_is_no_command(void **state)
{
	struct restart_plan plan = {};
	size_t others;
	char *text;

	(void)state;
	add(&plan, 2, "dbus.service", "dbus-daemon");
	add(&plan, 3, "cron.service", "cron");
	text = shown(&plan, false, &others);
	assert_string_equal(text, "cron.service\n");
	assert_int_equal(others, 1);
	free(text);
	plan = (struct restart_plan){};
	add(&plan, 2, "dbus.service", "dbus-daemon");
	text = shown(&plan, false, NULL);
	assert_string_equal(
		text, "# service dbus.service: ends all sessions when it is restarted; reboot\n");
	free(text);
}

static void only_systemd_is_executed_again(void **state)
{
	struct restart_plan plan = {};
	char *text;

	(void)state;
	add(&plan, 1, "", "systemd");
	text = shown(&plan, false, NULL);
	assert_string_equal(text, "systemctl daemon-reexec\n");
	free(text);
	plan = (struct restart_plan){};
	add(&plan, 1, "", "runit");
	text = shown(&plan, false, NULL);
	assert_string_equal(text, "# process 1 runit: start it again\n");
	free(text);
}

static void a_session_is_of_whom_its_slice_names(void **state)
{
	struct restart_plan plan = {};
	char *text;

	(void)state;
	units[2] = (struct process_unit){ .user = true, .uid = 4123456789 };
	assert_true(restart_plan_add(&plan, 2, 0, "bash"));
	text = shown(&plan, false, NULL);
	assert_string_equal(text, "# user 4123456789: log out and in again\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_are_as_a_shell_takes_them),
		cmocka_unit_test(what_ends_sessions_is_no_command),
		cmocka_unit_test(only_systemd_is_executed_again),
		cmocka_unit_test(a_session_is_of_whom_its_slice_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
