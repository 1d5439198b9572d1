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

/* The outermost, unless it is in a container or a user's. */
static void parse_service(struct process_unit *unit, const char *name, size_t length)
{
	static const char manager[] = "user@", session[] = "session-";
	bool is_service = ends_with(name, length, ".service");

	if (*unit->service || *unit->container || unit->user)
		return;
	if ((is_service && !strncmp(name, manager, strlen(manager))) ||
	    (ends_with(name, length, ".scope") && !strncmp(name, session, strlen(session))))
		unit->user = true;
	else if (is_service && length < PROCESS_UNIT_NAME && is_plain(name, length))
		process_unit_copy(unit->service, name, length);
}

static void parse_component(struct process_unit *unit, const char *name, size_t length)
{
	static const char lxc[] = "lxc.payload.";
	const char *id = container_id(name, length);

	parse_service(unit, name, length);
	if (is_unit(name, length))
		process_unit_copy(unit->unit, name, length);
	if (id)
		process_unit_copy(unit->container, id, CONTAINER_DIGITS);
	else if (length > strlen(lxc) && !memcmp(name, lxc, strlen(lxc)))
		process_unit_copy(unit->container, name + strlen(lxc), length - strlen(lxc));
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

/* "HIERARCHY:CONTROLLERS:PATH" in each line: cgroup v2's "0::", v1's "1:name=systemd:". */
void process_unit_parse(const char *text, struct process_unit *unit)
{
	*unit = (struct process_unit){};
	while (*text) {
		size_t length = strcspn(text, "\n");
		const char *path = memchr(text, ':', length);

		if (path)
			path = memchr(path + 1, ':', length - (size_t)(path + 1 - text));
		if (path)
			parse_path(unit, path + 1, length - (size_t)(path + 1 - text));
		text += length;
		text += *text == '\n';
	}
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
