// SPDX-License-Identifier: GPL-2.0
/* Process maps: a parser of /proc/PID/maps. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "process_maps.h"

bool process_maps_open(struct process_maps *maps, uint32_t pid)
{
	char path[64] = "/proc/self/maps";

	if (pid)
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	*maps = (struct process_maps){ .file = fopen(path, "re") };
	return maps->file;
}

void process_maps_close(struct process_maps *maps)
{
	free(maps->line);
	fclose(maps->file);
}

/* The kernel escapes only newlines. */
static void process_maps_unescape(char *path)
{
	char *to = path;

	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

static bool process_maps_parse(struct process_mapping *mapping, char *line)
{
	char protection[5];
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &mapping->start, &mapping->end, protection, &mapping->offset, &mapping->major,
		   &mapping->minor, &mapping->ino, &path) < 7 ||
	    !path)
		return false;
	mapping->prot = (protection[0] == 'r' ? PROT_READ : 0) |
			(protection[1] == 'w' ? PROT_WRITE : 0) |
			(protection[2] == 'x' ? PROT_EXEC : 0);
	mapping->executable = mapping->prot & PROT_EXEC;
	mapping->shared = protection[3] == 's';
	process_maps_unescape(line + path);
	mapping->path = line + path;
	return true;
}

bool process_maps_next(struct process_maps *maps, struct process_mapping *mapping)
{
	while (getline(&maps->line, &maps->room, maps->file) > 0)
		if (process_maps_parse(mapping, maps->line))
			return true;
	return false;
}
