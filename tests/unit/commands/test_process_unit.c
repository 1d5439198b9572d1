// SPDX-License-Identifier: GPL-2.0
/* Process unit: what the cgroups of services, sessions and containers are called. */

#include <string.h>

#include "command.h"
#include "commands/process_unit.h"
#include "common/array.h"

#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SHORT "0123456789ab"

static const struct {
	const char *text, *unit, *container, *shown;
} cases[] = {
	{ "0::/system.slice/ssh.service\n", "ssh.service", "", "ssh.service" },
	{ "0::/user.slice/user-1000.slice/session-3.scope\n", "session-3.scope", "",
	  "session-3.scope" },
	{ "0::/user.slice/user-1000.slice/user@1000.service/app.slice/foot.service\n",
	  "foot.service", "", "foot.service" },
	{ "0::/system.slice/docker-" ID ".scope\n", "docker-" ID ".scope", ID, SHORT },
	{ "0::/docker/" ID "\n", "", ID, SHORT },
	{ "0::/machine.slice/libpod-" ID ".scope/container\n", "libpod-" ID ".scope", ID, SHORT },
	{ "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podf00.slice/"
	  "cri-containerd-" ID ".scope\n",
	  "cri-containerd-" ID ".scope", ID, SHORT },
	{ "0::/kubepods/burstable/pod1234/" ID "\n", "", ID, SHORT },
	{ "0::/lxc.payload.web\n", "", "web", "web" },
	/* systemd inside of a container */
	{ "0::/docker/" ID "/system.slice/nginx.service\n", "nginx.service", ID, "nginx.service" },
	/* cgroup v1 */
	{ "12:cpuset:/\n1:name=systemd:/system.slice/cron.service\n0::/\n", "cron.service", "",
	  "cron.service" },
	{ "0::/\n", "", "", NULL },
	{ "", "", "", NULL },
	{ "nonsense", "", "", NULL },
	{ "0::/a.slice/.service\n", "", "", NULL },
	{ "0::/x/" ID "0\n", "", "", NULL },
};

static void cgroups_are_taken_apart(void **state)
{
	char text[PROCESS_UNIT_NAME];
	struct process_unit unit;
	const char *shown;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		process_unit_parse(cases[i].text, &unit);
		assert_string_equal(unit.unit, cases[i].unit);
		assert_string_equal(unit.container, cases[i].container);
		shown = process_unit_name(&unit, text);
		if (cases[i].shown)
			assert_string_equal(shown, cases[i].shown);
		else
			assert_null(shown);
	}
}

static void what_systemctl_restarts_is_a_service_of_the_machine(void **state)
{
	static const struct {
		const char *text, *service;
		bool user;
	} services[] = {
		{ "0::/system.slice/ssh.service\n", "ssh.service", false },
		{ "0::/system.slice/system-getty.slice/getty@tty1.service\n", "getty@tty1.service",
		  false },
		/* Made by itself, below it. */
		{ "0::/system.slice/web.service/ssh.service\n", "web.service", false },
		{ "0::/system.slice/web.service/libpod-payload-" ID "\n", "web.service", false },
		{ "0::/user.slice/user-1000.slice/user@1000.service/app.slice/foot.service\n", "",
		  true },
		{ "0::/user.slice/user-1000.slice/session-3.scope/ssh.service\n", "", true },
		{ "0::/system.slice/docker-" ID ".scope/system.slice/nginx.service\n", "", false },
		{ "0::/init.scope\n", "", false },
		/* named by the root of a container, or by a user */
		{ "0::/machine.slice/machine-foo.scope/payload/systemd-reboot.service\n", "",
		  false },
		{ "0::/lxc/web/system.slice/ssh.service\n", "", false },
		{ "0::/lxc.payload.x.service\n", "", false },
		{ "0::/nomad.slice/x.scope/evil.service\n", "", false },
		{ "0::/user.slice/user-1000.slice/evil.service\n", "", true },
		{ "0::/../system.slice/x.service\n", "", false },
		{ "12:freezer:/user/alice/0/systemd-reboot.service\n"
		  "1:name=systemd:/user.slice/user-1000.slice/session-3.scope\n0::/\n",
		  "", true },
		{ "12:freezer:/evil.service\n0::/system.slice/ssh.service\n", "ssh.service",
		  false },
		{ "1:name=systemd:/system.slice/ssh.service\n0::/system.slice/evil.service\n",
		  "ssh.service", false },
		{ "0::/system.slice/-H x.service\n", "", false },
		{ "0::/system.slice/a b.service\n", "", false },
		{ "0::/system.slice/*.service\n", "", false },
	};
	struct process_unit unit;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(services); i++) {
		process_unit_parse(services[i].text, &unit);
		assert_string_equal(unit.service, services[i].service);
		assert_int_equal(unit.user, services[i].user);
		assert_int_equal(unit.uid, unit.user ? 1000 : PROCESS_UNIT_NO_UID);
	}
}

static void names_of_any_length_fit(void **state)
{
	char text[2000] = "0::/", name[PROCESS_UNIT_NAME];
	struct process_unit unit;

	(void)state;
	memset(text + 4, 'a', 1900);
	strcpy(text + 1800, ".service\n");
	process_unit_parse(text, &unit);
	assert_int_equal(strlen(unit.unit), PROCESS_UNIT_NAME - 1);
	assert_string_equal(process_unit_name(&unit, name), unit.unit);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cgroups_are_taken_apart),
		cmocka_unit_test(what_systemctl_restarts_is_a_service_of_the_machine),
		cmocka_unit_test(names_of_any_length_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
