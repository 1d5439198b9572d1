// SPDX-License-Identifier: GPL-2.0
/* Rewritten: a perf.data is made, annotated, and looked at again; in a directory. */

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rewritten.h"

static char directory[] = "/tmp/buildid-write.XXXXXX";
struct make *make;
struct perfdata_counts counts;
char reported[512];
char error[512];
struct perfdata_module_event loads[4];
size_t nr_module_events;
bool keep_names;
bool nothing_is_known;
unsigned char after[MAKE_ROOM];
size_t after_size;
bool (*on_progress)(void);
size_t identified;

int set_up(void **state)
{
	(void)state;
	make = malloc(sizeof(*make));
	return !make || !mkdtemp(directory) || chdir(directory);
}

int tear_down(void **state)
{
	char command[64];

	(void)state;
	free(make);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return chdir("/") || system(command);
}

int reset(void **state)
{
	(void)state;
	memset(make, 0, sizeof(*make));
	make->clockid = -1;
	nr_module_events = 0;
	keep_names = false;
	nothing_is_known = false;
	on_progress = NULL;
	identified = 0;
	*reported = '\0';
	return system("rm -rf *");
}

void write_file(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(make->bytes, 1, make->size, file), make->size);
	assert_int_equal(fclose(file), 0);
}

void read_file(const char *path)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	after_size = fread(after, 1, sizeof(after), file);
	fclose(file);
}

/*
 * The id of an inode: as many of its number. Odd ones and 0 are not known; 100 has
 * none.
 * The kernel's is of its own.
 */
static void identify(void *context, const struct perfdata_mapping *mapping,
		     struct perfdata_identity *identity)
{
	(void)context;
	identified++;
	if (nothing_is_known) {
		identity->reason = "nothing is known";
	} else if (mapping->kind == PERFDATA_KIND_KERNEL || mapping->kind == PERFDATA_KIND_MODULE) {
		identity->id.size = 20;
		memset(identity->id.bytes, mapping->kind == PERFDATA_KIND_KERNEL ? 0xaa : 0xbb, 20);
	} else if (!strcmp(mapping->path, "/by-pid")) {
		identity->id.size = 20;
		memset(identity->id.bytes, 0xcc, 20);
	} else if (mapping->ino == 100) {
		identity->known = true;
	} else if (mapping->ino && mapping->ino % 2 == 0) {
		identity->id.size = mapping->ino == 8 ? 8 : 20;
		memset(identity->id.bytes, (int)mapping->ino, identity->id.size);
	} else {
		identity->reason = "nobody knows";
	}
}

static void report(void *context, const char *path, uint64_t missing, uint64_t all,
		   const char *reason)
{
	(void)context;
	snprintf(reported, sizeof(reported), "%s: %u of %u: %s", path, (unsigned int)missing,
		 (unsigned int)all, reason);
}

static uint64_t told; /* by the last call of progress() */

static bool progress(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	assert_true(done && done <= total);
	/* It is read twice, and at first it is told of the first event. */
	assert_true(told ? done >= told : done < total / 2 || done == total);
	told = done;
	return !on_progress || on_progress();
}

int annotate_to(const char *path, const char *output)
{
	const struct perfdata_annotator annotator = {
		.identify = identify,
		.progress = progress,
		.report = report,
		.module_events = loads,
		.nr_module_events = nr_module_events,
		.keep_names = keep_names,
	};
	struct perfdata *data = perfdata_open(path);
	glob_t found;
	int err;

	assert_non_null(data);
	told = 0;
	err = perfdata_rewrite(data, output, &annotator, &counts);
	assert_int_equal(!err, !perfdata_error(data));
	snprintf(error, sizeof(error), "%s", err ? perfdata_error(data) : "");
	perfdata_close(data);
	/* Nothing half done is left. */
	assert_int_equal(glob(".new-*", 0, NULL, &found), GLOB_NOMATCH);
	return err;
}

void annotate_made(void)
{
	write_file("perf.data");
	assert_int_equal(annotate_to("perf.data", NULL), 0);
	read_file("perf.data");
}

static char names[16][64];

size_t read_mappings(const char *path, struct perfdata_mapping *mappings)
{
	struct perfdata *data = perfdata_open(path);
	size_t count = 0;

	assert_null(perfdata_error(data));
	while (perfdata_next_mapping(data, &mappings[count]) > 0) {
		assert_true(count < 15);
		snprintf(names[count], sizeof(names[count]), "%s", mappings[count].path);
		mappings[count].path = names[count];
		count++;
	}
	assert_null(perfdata_error(data));
	perfdata_close(data);
	return count;
}

void assert_id(const struct perfdata_mapping *mapping, size_t size, uint8_t byte)
{
	assert_int_equal(mapping->id.size, size);
	if (size)
		assert_int_equal(mapping->id.bytes[size - 1], byte);
}
