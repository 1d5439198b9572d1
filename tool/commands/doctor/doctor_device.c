// SPDX-License-Identifier: GPL-2.0
/* Doctor, the device: does the module see mappings, and what may the caller ask of it? */

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/device_access.h"
#include "doctor.h"

static void not_asked(const struct machine *machine, struct finding *finding)
{
	if (machine->loaded && machine->open_error == -ENODEV)
		finding_set(finding, FINDING_UNKNOWN,
			    "the module cannot be asked without its device");
	else if (machine->loaded)
		finding_set(finding, FINDING_UNKNOWN, "the module cannot be asked: %s",
			    buildid_strerror(machine->open_error));
	else
		finding_set(finding, FINDING_UNKNOWN, "the module is not loaded");
}

static bool has_stats(const struct machine *machine, struct buildid_stats *stats)
{
	return machine->handle && !machine->open_error &&
	       !buildid_get_stats(machine->handle, stats, sizeof(*stats));
}

void check_hook(const struct machine *machine, struct finding *finding)
{
	struct buildid_stats stats;

	if (!has_stats(machine, &stats)) {
		not_asked(machine, finding);
	} else if (!(machine->module.status & BUILDID_STATUS_ARMED)) {
		finding_set(finding, FINDING_FAILED,
			    "no mapping is seen, as ftrace or kprobes were turned off after the "
			    "module was loaded");
		finding_remedy(finding, "turn them on: sysctl kernel.ftrace_enabled=1, "
					"echo 1 > /sys/kernel/debug/kprobes/enabled");
	} else {
		finding_set(finding, FINDING_OK,
			    "armed on %.*s: %" PRIu64 " mappings seen, %" PRIu64 " missed",
			    (int)sizeof(machine->module.hook), (const char *)machine->module.hook,
			    (uint64_t)stats.mappings, (uint64_t)stats.missed_probe);
	}
}

void check_visits(const struct machine *machine, struct finding *finding)
{
	struct buildid_stats stats;
	char text[128];

	if (!has_stats(machine, &stats)) {
		not_asked(machine, finding);
	} else if (visits_held(&stats, text, sizeof(text))) {
		finding_set(finding, FINDING_WARNING, "%s", text);
		finding_remedy(finding,
			       "look for what it waits for: its server, its disk; or kill it");
	} else {
		finding_set(finding, FINDING_OK, "no thread waits for a file that it has mapped");
	}
}

/* ----------------------------------------------------------------- device -- */

/* "root:buildid 0660" */
static void doctor_device_describe(const struct stat *st, char text[128])
{
	const struct passwd *user = getpwuid(st->st_uid);
	const struct group *group = getgrgid(st->st_gid);
	char uid[16], gid[16];

	snprintf(uid, sizeof(uid), "%u", st->st_uid);
	snprintf(gid, sizeof(gid), "%u", st->st_gid);
	snprintf(text, 128, "%.40s:%.40s %04o", user ? user->pw_name : uid,
		 group ? group->gr_name : gid, st->st_mode & 07777);
}

static void no_device(const struct machine *machine, struct finding *finding)
{
	if (!machine->loaded) {
		finding_set(finding, FINDING_UNKNOWN, "it appears when the module is loaded");
		return;
	}
	finding_set(finding, FINDING_FAILED,
		    "the module is loaded, but its device is not in this /dev");
	finding_remedy(finding, "in a container, let it have " BUILDID_DEVICE
				"; elsewhere load the module anew: "
				"rmmod buildid && modprobe buildid");
}

void check_device(const struct machine *machine, struct finding *finding)
{
	char text[128];
	struct stat st;

	if (stat(BUILDID_DEVICE, &st)) {
		if (errno == ENOENT)
			no_device(machine, finding);
		else
			finding_set(finding, FINDING_UNKNOWN, "%s", strerror(errno));
		return;
	}
	doctor_device_describe(&st, text);
	if (machine->open_error) {
		const char *advice = buildid_advice(machine->open_error);

		finding_set(finding, FINDING_FAILED, BUILDID_DEVICE " (%s): %s", text,
			    buildid_strerror(machine->open_error));
		if (machine->open_error == -EACCES)
			device_access_remedy(finding->remedy, sizeof(finding->remedy));
		else if (advice)
			finding_remedy(finding, "%s", advice);
	} else if (st.st_mode & 0006) {
		finding_set(finding, FINDING_WARNING, BUILDID_DEVICE " (%s): open to every user",
			    text);
		finding_remedy(finding, "chmod o-rw " BUILDID_DEVICE
					", and look for the udev rule that opened it");
	} else {
		finding_set(finding, FINDING_OK, BUILDID_DEVICE " (%s), which you may open", text);
	}
}

/* ----------------------------------------------------------------- rights -- */

/* Of the namespaces that each kernel boots with. */
#define PID_NAMESPACE  0xeffffffcU
#define USER_NAMESPACE 0xeffffffdU

static bool is_initial(const char *path, ino_t number)
{
	struct stat st;

	return !stat(path, &st) && st.st_ino == number;
}

void check_rights(const struct machine *machine, struct finding *finding)
{
	bool initial_user = is_initial("/proc/self/ns/user", USER_NAMESPACE);
	char *status = read_text("/proc/self/status");

	(void)machine;
	if (!status) {
		finding_set(finding, FINDING_UNKNOWN, "/proc is not mounted");
	} else if (!status_may_watch(status) || !initial_user) {
		finding_set(finding, FINDING_WARNING,
			    "you may ask of your own processes only; mon, record, store --live "
			    "and what looks at others need CAP_PERFMON%s",
			    initial_user ? "" : " outside of this user namespace");
		finding_remedy(finding, "run as root");
	} else if (!is_initial("/proc/self/ns/pid", PID_NAMESPACE)) {
		finding_set(finding, FINDING_WARNING,
			    "you may watch the processes of this pid namespace only, and ask of "
			    "none that has exited");
		finding_remedy(finding, "run it outside of the container");
	} else {
		finding_set(finding, FINDING_OK, "you may watch all processes");
	}
	free(status);
}
