// SPDX-License-Identifier: GPL-2.0
/*
 * Restart plan: pid 1 first, as it starts the services; then those; then what systemctl of the
 * machine cannot restart: containers, users' sessions, and what belongs to neither.
 */

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/process_unit.h"
#include "common/array.h"
#include "restart_plan.h"

enum restart_kind {
	RESTART_INIT,
	RESTART_SERVICE,
	RESTART_SESSIONS,
	RESTART_CONTAINER,
	RESTART_USER,
	RESTART_PROCESS,
};

struct restart_step {
	enum restart_kind kind;
	char name[PROCESS_UNIT_NAME];
	size_t processes;
};

static int restart_compare(const void *a, const void *b)
{
	const struct restart_step *one = a, *other = b;

	return one->kind == other->kind ? strcmp(one->name, other->name) :
					  COMPARE(one->kind, other->kind);
}

static void name_user(struct restart_step *step, uint32_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		snprintf(step->name, sizeof(step->name), "%s", user->pw_name);
	else
		snprintf(step->name, sizeof(step->name), "%" PRIu32, uid);
}

/* Restarting these ends the sessions of all users. */
static bool ends_sessions(const char *service)
{
	static const char *const services[] = {
		"dbus.service",
		"dbus-broker.service",
		"systemd-logind.service",
		"display-manager.service",
		"gdm.service",
		"gdm3.service",
		"lightdm.service",
		"lxdm.service",
		"sddm.service",
		"xdm.service",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(services); i++)
		if (!strcmp(service, services[i]))
			return true;
	return false;
}

static void restart_plan_sort_out(struct restart_step *step, uint32_t pid, uint32_t uid,
				  const char *comm)
{
	struct process_unit unit;

	process_unit_read(pid, &unit);
	if (pid == 1 && !strcmp(comm, "systemd")) {
		step->kind = RESTART_INIT;
		snprintf(step->name, sizeof(step->name), "%s", comm);
	} else if (*unit.service) {
		step->kind = ends_sessions(unit.service) ? RESTART_SESSIONS : RESTART_SERVICE;
		snprintf(step->name, sizeof(step->name), "%s", unit.service);
	} else if (*unit.container) {
		step->kind = RESTART_CONTAINER;
		snprintf(step->name, sizeof(step->name), "%s", unit.container);
	} else if (unit.user) {
		step->kind = RESTART_USER;
		name_user(step, unit.uid == PROCESS_UNIT_NO_UID ? uid : unit.uid);
	} else {
		step->kind = RESTART_PROCESS;
		snprintf(step->name, sizeof(step->name), "%" PRIu32 " %s", pid, comm);
	}
}

bool restart_plan_add(struct restart_plan *plan, uint32_t pid, uint32_t uid, const char *comm)
{
	struct restart_step step = { .processes = 1 };
	size_t i;

	if (plan->last == pid)
		return true;
	plan->last = pid;
	restart_plan_sort_out(&step, pid, uid, comm);
	for (i = 0; i < plan->count; i++)
		if (!restart_compare(&plan->steps[i], &step)) {
			plan->steps[i].processes++;
			return true;
		}
	if (!array_reserve(plan->steps, plan->count))
		return false;
	plan->steps[plan->count++] = step;
	return true;
}

size_t restart_plan_units(struct restart_plan *plan, struct output *out)
{
	size_t others = 0, i;

	array_sort(plan->steps, plan->count, restart_compare);
	for (i = 0; i < plan->count; i++) {
		if (plan->steps[i].kind != RESTART_SERVICE) {
			others += plan->steps[i].processes;
			continue;
		}
		out_begin(out);
		out_string(out, "type", OUT_HIDDEN, "unit");
		out_string(out, "unit", 0, plan->steps[i].name);
		out_number(out, "processes", OUT_HIDDEN, plan->steps[i].processes);
		out_end(out);
	}
	return others;
}

/* A command, or what people have to do, as a comment. */
static void restart_show(const struct restart_step *step, struct output *out)
{
	static const struct {
		const char *action, *before, *behind;
	} kinds[] = {
		[RESTART_INIT] = { "daemon-reexec", "systemctl daemon-reexec", NULL },
		[RESTART_SERVICE] = { "restart", "systemctl restart -- ", "" },
		[RESTART_SESSIONS] = { "sessions", "# service ",
				       ": ends all sessions when it is restarted; reboot" },
		[RESTART_CONTAINER] = { "container", "# container ", ": start it again" },
		[RESTART_USER] = { "login", "# user ", ": log out and in again" },
		[RESTART_PROCESS] = { "process", "# process ", ": start it again" },
	};
	const char *behind = kinds[step->kind].behind;
	/* A shell takes the backslash of an escaped name for its own; is_plain() allows no quote. */
	const char *quote = step->kind == RESTART_SERVICE && strchr(step->name, '\\') ? "'" : "";
	char text[PROCESS_UNIT_NAME + 64];

	snprintf(text, sizeof(text), "%s%s%s%s%s", kinds[step->kind].before, quote,
		 behind ? step->name : "", quote, behind ? behind : "");
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "restart");
	out_string(out, "action", OUT_HIDDEN, kinds[step->kind].action);
	out_string(out, "name", OUT_HIDDEN, step->name);
	out_number(out, "processes", OUT_HIDDEN, step->processes);
	out_string(out, "command", OUT_HIDDEN, *text == '#' ? NULL : text);
	if (!out->json)
		out_string(out, NULL, 0, text);
	out_end(out);
}

void restart_plan_show(struct restart_plan *plan, struct output *out)
{
	size_t i;

	array_sort(plan->steps, plan->count, restart_compare);
	for (i = 0; i < plan->count; i++)
		restart_show(&plan->steps[i], out);
}

void restart_plan_free(struct restart_plan *plan)
{
	free(plan->steps);
}
