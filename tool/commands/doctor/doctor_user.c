// SPDX-License-Identifier: GPL-2.0
/* Doctor, the caller: perf, debuginfod and the room for files, as they are for this user. */

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "commands/perf_program.h"
#include "common/child.h"
#include "content/debuginfod.h"
#include "doctor.h"

/* A libc with its debug file has a tenth of it. */
#define ROOM_LITTLE (256ULL << 20)

/* ------------------------------------------------------------------- perf -- */

void check_perf(const struct machine *machine, struct finding *finding)
{
	char name[] = "perf", option[] = "--version";
	char *text =
		child_output((char *[]){ name, option, NULL }, CHILD_TIMEOUT_MS, &(size_t){ 0 });
	int err = text ? 0 : errno;
	unsigned int major, minor;

	(void)machine;
	if (text)
		text[strcspn(text, "\n")] = '\0';
	if (err == ENOENT) {
		finding_set(finding, FINDING_WARNING,
			    "there is no perf in PATH; record -- perf, annotate and store are "
			    "for it");
		finding_remedy(finding, PERF_PROGRAM_REMEDY);
	} else if (err || !perf_version_parse(text, &major, &minor)) {
		finding_set(finding, FINDING_WARNING, "perf --version: %s",
			    err ? strerror(err) : "prints no version");
		finding_remedy(finding, "install the perf of this kernel: apt install linux-perf");
	} else if (major < 5 || (major == 5 && minor < 12)) {
		finding_set(finding, FINDING_WARNING,
			    "perf %u.%u does not read build-ids of mappings", major, minor);
		finding_remedy(finding, "install perf 5.12 or later");
	} else {
		finding_set(finding, FINDING_OK, "%s: reads build-ids of mappings%s",
			    text + strlen("perf version "),
			    major > 6 || (major == 6 && minor >= 17) ?
				    ", and records those in memory" :
				    "; by itself it records one for each path");
	}
	free(text);
}

/* ------------------------------------------------------------- debuginfod -- */

void check_debuginfod(const struct machine *machine, struct finding *finding)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct debuginfod *client = debuginfod_new();
	struct reason reason = {};

	(void)machine;
	if (client && debuginfod_ready(client, &reason)) {
		finding_set(finding, FINDING_OK, "%s", urls);
	} else if (!urls || !urls[strspn(urls, " ")]) {
		/* Which is a choice. */
		finding_set(finding, FINDING_OK,
			    "DEBUGINFOD_URLS is not set, so that files which are not here are "
			    "not fetched");
		finding_remedy(
			finding,
			"to fetch Debian's: export DEBUGINFOD_URLS=https://debuginfod.debian.net");
	} else {
		finding_set(finding, FINDING_WARNING, "%s", reason.text);
		finding_remedy(finding, "apt install libdebuginfod1");
	}
	debuginfod_free(client);
}

/* -------------------------------------------------------------- debug dir -- */

/* Of @path or, as it would be made there, of the directory above it. */
static bool measure(char *path, struct statvfs *room)
{
	if (!statvfs(path, room))
		return true;
	return errno == ENOENT && !statvfs(dirname(path), room);
}

void check_debug_dir(const struct machine *machine, struct finding *finding)
{
	const char *home = getenv("HOME");
	struct statvfs room;
	uint64_t bytes;
	char *path;

	(void)machine;
	if (!home || *home != '/' || asprintf(&path, "%s/.debug", home) < 0) {
		finding_set(finding, FINDING_WARNING, "HOME is not set, so there is no ~/.debug");
		finding_remedy(finding, "set HOME, or use --dir DIR");
		return;
	}
	if (!measure(path, &room)) {
		finding_set(finding, FINDING_FAILED, "%s: %s", path, strerror(errno));
		finding_remedy(finding, "make a home directory, or use --dir DIR");
		free(path);
		return;
	}
	/* measure() has made it the directory that is there. */
	bytes = (uint64_t)room.f_bavail * room.f_frsize;
	if (access(path, W_OK | X_OK)) {
		finding_set(finding, FINDING_FAILED, "%s: %s", path, strerror(errno));
		finding_remedy(finding, "make it yours: chown, or use --dir DIR");
	} else if (!bytes || (room.f_files && !room.f_favail)) {
		finding_set(finding, FINDING_FAILED, "%s: no %s left", path,
			    bytes ? "inodes" : "space");
		finding_remedy(finding, "make room, or use --dir DIR");
	} else if (bytes < ROOM_LITTLE) {
		finding_set(finding, FINDING_WARNING, "%s: %" PRIu64 " MiB left", path,
			    bytes >> 20);
		finding_remedy(finding, "make room, use --dir DIR, or store with --max-size");
	} else {
		finding_set(finding, FINDING_OK, "%s: %" PRIu64 " MiB left", path, bytes >> 20);
	}
	free(path);
}
