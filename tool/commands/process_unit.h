/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Process unit: what an administrator calls the service or the container of a process,
 * by the names that systemd, Docker, Podman, containerd, CRI-O and LXC give to cgroups.
 */
#ifndef TOOL_PROCESS_UNIT_H
#define TOOL_PROCESS_UNIT_H

#include <stdbool.h>
#include <stdint.h>

/* NAME_MAX and a NUL. */
#define PROCESS_UNIT_NAME 256

#define PROCESS_UNIT_NO_UID UINT32_MAX

/**
 * struct process_unit - where a process belongs
 * @unit: systemd's, the innermost: "ssh.service"; "" for none
 * @service: that systemctl can restart, a service of this machine's manager: with nothing but
 *	slices above it, as anything else may name what is below it as it likes; "" for none
 * @user: of a user's manager or session
 * @uid: whose, or PROCESS_UNIT_NO_UID
 * @container: the id of 64 hex digits, for LXC the name; "" for none
 */
struct process_unit {
	char unit[PROCESS_UNIT_NAME];
	char container[PROCESS_UNIT_NAME];
	char service[PROCESS_UNIT_NAME];
	bool user;
	uint32_t uid;
};

/* From /proc/PID/cgroup; both are "" when the process is gone. */
void process_unit_read(uint32_t pid, struct process_unit *unit);
/* From the text of such a file. */
void process_unit_parse(const char *text, struct process_unit *unit);
/* For a column: the unit, else the container's short id, else NULL. */
const char *process_unit_name(const struct process_unit *unit, char text[PROCESS_UNIT_NAME]);

#endif
