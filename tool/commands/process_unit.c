// SPDX-License-Identifier: GPL-2.0
/* Process unit: one path of a cgroup taken apart. */

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "process_unit.h"

#define CONTAINER_DIGITS 64
#define LXC		 "lxc.payload."
/* As docker ps shows it. */
#define SHORT_DIGITS 12

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t size = strlen(end);

	return length > size && !memcmp(text + length - size, end, size);
}

static void process_unit_copy(char to[PROCESS_UNIT_NAME], const char *from, size_t length)
{
	if (length >= PROCESS_UNIT_NAME)
		length = PROCESS_UNIT_NAME - 1;
	memcpy(to, from, length);
	to[length] = '\0';
}

static bool is_unit(const char *name, size_t length)
{
	static const char *const types[] = { ".service", ".scope", ".socket", ".mount", ".swap" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (ends_with(name, length, types[i]))
			return true;
	return false;
}

/* The digits of a container's id in @name, which has no others beside them, or NULL. */
static const char *container_id(const char *name, size_t length)
{
	size_t digits = 0, i;

	for (i = 0; i <= length; i++) {
		if (i < length && isxdigit((unsigned char)name[i])) {
			digits++;
			continue;
		}
		if (digits == CONTAINER_DIGITS)
			return name + i - digits;
		digits = 0;
	}
	return NULL;
}

/* What systemd calls its own; systemctl would take others for patterns or options. */
static bool is_plain(const char *name, size_t length)
{
	static const char plain[] = ":-_.\\@";
	size_t i;

	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && (!name[i] || !strchr(plain, name[i])))
			return false;
	return *name != '-';
}

static bool is_named(const char *name, size_t length, const char *wanted)
{
	return length == strlen(wanted) && !memcmp(name, wanted, length);
}

static bool is_service(const char *name, size_t length)
{
	return ends_with(name, length, ".service") && length < PROCESS_UNIT_NAME &&
	       is_plain(name, length) && strncmp(name, LXC, strlen(LXC)) &&
	       !container_id(name, length);
}

/* "user-1000.slice" */
static void parse_user(struct process_unit *unit, const char *path)
{
	unit->user = true;
	if (sscanf(path, "user-%" SCNu32 ".slice", &unit->uid) != 1)
		unit->uid = PROCESS_UNIT_NO_UID;
}

/*
 * Only slices are the manager's own on the way to its services. What is below anything else, like
 * a scope or a directory of LXC's, was named by others, and so was all in a user's slice.
 */
static void parse_service(struct process_unit *unit, const char *path, size_t length)
{
	const char *end = path + length;

	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t size = (size_t)((slash ? slash : end) - path);

		if (is_named(path, size, "user.slice"))
			parse_user(unit, slash ? slash + 1 : "");
		else if (is_service(path, size))
			process_unit_copy(unit->service, path, size);
		if (size && (unit->user || !ends_with(path, size, ".slice")))
			return;
		path += size + 1;
	}
}

static void parse_component(struct process_unit *unit, const char *name, size_t length)
{
	const char *id = container_id(name, length);

	if (is_unit(name, length))
		process_unit_copy(unit->unit, name, length);
	if (id)
		process_unit_copy(unit->container, id, CONTAINER_DIGITS);
	else if (length > strlen(LXC) && !memcmp(name, LXC, strlen(LXC)))
		process_unit_copy(unit->container, name + strlen(LXC), length - strlen(LXC));
}

static void parse_path(struct process_unit *unit, const char *path, size_t length)
{
	const char *end = path + length;

	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));

		if (!slash)
			slash = end;
		parse_component(unit, path, (size_t)(slash - path));
		path = slash + 1;
	}
}

/* Of "HIERARCHY:CONTROLLERS:PATH" the part behind the first colon, or NULL. */
static const char *controllers_of(const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);

	return colon ? colon + 1 : NULL;
}

/* Each line: cgroup v2's "0::", v1's "1:name=systemd:". The manager's is v1's, where that exists. */
void process_unit_parse(const char *text, struct process_unit *unit)
{
	static const char manager[] = "name=systemd";
	const char *path_of_manager = NULL;
	size_t size_of_manager = 0;

	*unit = (struct process_unit){ .uid = PROCESS_UNIT_NO_UID };
	while (*text) {
		size_t length = strcspn(text, "\n");
		const char *end = text + length, *controllers = controllers_of(text, length);
		const char *colon =
			controllers ? memchr(controllers, ':', (size_t)(end - controllers)) : NULL;

		if (colon) {
			size_t size = (size_t)(colon - controllers);

			parse_path(unit, colon + 1, (size_t)(end - colon - 1));
			if (is_named(controllers, size, manager) || (!size && !path_of_manager)) {
				path_of_manager = colon + 1;
				size_of_manager = (size_t)(end - colon - 1);
			}
		}
		text += length;
		text += *text == '\n';
	}
	if (path_of_manager)
		parse_service(unit, path_of_manager, size_of_manager);
}

void process_unit_read(uint32_t pid, struct process_unit *unit)
{
	char path[64], text[8192];
	ssize_t size = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cgroup", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[size > 0 ? size : 0] = '\0';
	process_unit_parse(text, unit);
}

const char *process_unit_name(const struct process_unit *unit, char text[PROCESS_UNIT_NAME])
{
	/* The scope of a container has its id in full. */
	if (*unit->container && !strstr(unit->unit, ".service")) {
		snprintf(text, PROCESS_UNIT_NAME, "%s", unit->container);
		if (strlen(text) == CONTAINER_DIGITS)
			text[SHORT_DIGITS] = '\0';
		return text;
	}
	return *unit->unit ? strcpy(text, unit->unit) : NULL;
}
