// SPDX-License-Identifier: GPL-2.0
/*
 * Diff operands. Of a path the contents are in the order in which the recording has them first;
 * without one in that of the times of the files that are kept, and what is at the path now is
 * the last. Of equal times, as of what was mapped before the recording, the order is not known.
 */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/id_prefix.h"
#include "common/array.h"
#include "common/content_name.h"
#include "common/open_regular.h"
#include "content/elf_file.h"
#include "diff_operands.h"

/* Of one path; a message has room for the first ones. */
#define CONTENTS_MAX  64
#define CONTENTS_TOLD 8

/* Later than all that was there before. */
#define NOW INT64_MAX

struct known_content {
	struct build_id id;
	int64_t time;
};

struct known_contents {
	struct known_content all[CONTENTS_MAX];
	size_t count;
	bool more;
};

void diff_operands_free(struct diff_operand operands[2])
{
	free(operands[0].path);
	free(operands[1].path);
}

static void known_add(struct known_contents *known, const struct build_id *id, int64_t time)
{
	size_t i;

	if (!id->size)
		return;
	for (i = 0; i < known->count; i++)
		if (build_id_equal(&known->all[i].id, id)) {
			if (time == NOW)
				known->all[i].time = time;
			return;
		}
	known->more = known->count == CONTENTS_MAX;
	if (known->more)
		return;
	known->all[known->count++] = (struct known_content){ .id = *id, .time = time };
}

/* ------------------------------------------------------------------ of a path -- */

static char *path_of_dso(const struct perfdata_dso *dso)
{
	return strndup(dso->path, content_name_path(dso->path, &dso->id));
}

/* A name without a slash is that of a file in any directory. */
static bool is_path(const char *path, const char *operand)
{
	const char *base = strrchr(path, '/');

	return !strcmp(path, operand) ||
	       (base && !strchr(operand, '/') && !strcmp(base + 1, operand));
}

/* In order of time. False where @operand names several files, of which @path is one. */
static bool add_recorded(struct known_contents *known, const struct diff_recording *recording,
			 const char *operand, char **path)
{
	bool one = true;
	const struct perfdata_mapped *mapped;
	size_t count, i;

	mapped = perfdata_profile_mapped(recording->profile, &count);
	for (i = 0; one && i < count; i++) {
		const struct perfdata_dso *dso;
		char *its;

		if (mapped[i].dso == PERFDATA_NO_DSO)
			continue;
		dso = &recording->dsos[mapped[i].dso];
		its = dso->id.size ? path_of_dso(dso) : NULL;
		if (its && is_path(its, operand)) {
			known_add(known, &dso->id, (int64_t)mapped[i].time);
			if (!*path)
				*path = strdup(its);
			one = *path && !strcmp(*path, its);
		}
		free(its);
	}
	return one;
}

static void add_file(struct known_contents *known, int fd, int64_t time)
{
	struct elf_info info;

	elf_file_id(fd, &info);
	if (info.kind == BUILDID_KIND_GNU)
		known_add(known, &info.id, time);
}

static int compare_times(const void *a, const void *b)
{
	const struct known_content *one = a, *other = b;

	return COMPARE(one->time, other->time);
}

/* Entries of a path are named by their ids. */
static void add_kept(struct known_contents *known, const struct content_files *files,
		     const char *path)
{
	struct dirent *entry;
	struct build_id id;
	struct stat status;
	int fd = -1, part;
	DIR *directory;

	if (files->dir && *path == '/' && debug_dir_is_name(path))
		fd = openat(debug_dir_fd(files->dir), path + 1,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	directory = fd < 0 ? NULL : fdopendir(fd);
	while (directory && (entry = readdir(directory))) {
		if (!build_id_parse(&id, entry->d_name))
			continue;
		part = debug_dir_find(files->dir, &id, CONTENT_ELF);
		if (part >= 0 && !fstat(part, &status))
			known_add(known, &id, status.st_mtime);
		if (part >= 0)
			close(part);
	}
	if (directory)
		closedir(directory);
}

static void add_current(struct known_contents *known, const char *path)
{
	struct reason unused;
	int fd = open_regular(path, &unused);

	if (fd < 0)
		return;
	add_file(known, fd, NOW);
	close(fd);
}

static void tell_contents(struct output *out, const char *operand,
			  const struct known_contents *known,
			  const struct diff_recording *recording)
{
	char list[CONTENTS_TOLD * (BUILD_ID_TEXT + 1)] = "", text[BUILD_ID_TEXT];
	size_t length = 0, i;

	for (i = 0; i < known->count && i < CONTENTS_TOLD; i++)
		length += (size_t)snprintf(list + length, sizeof(list) - length, " %s",
					   build_id_text(&known->all[i].id, text));
	if (known->count > 2)
		out_error(out, operand, "has had %s%zu contents; name two of them:%s%s",
			  known->more ? "more than " : "", known->count, list,
			  known->count > CONTENTS_TOLD ? " ..." : "");
	else if (known->count == 2)
		out_error(out, operand,
			  "has had two contents, and which of them was first is not known; name "
			  "both in order:%s",
			  list);
	else if (recording->data)
		out_error(out, operand,
			  "%s in the recording, and not two; see: buildid list -i FILE",
			  known->count ? "has one content" : "has no content that is known");
	else
		out_error(out, operand,
			  "%s, and not two; record the other with 'buildid store', or name both by "
			  "their build-ids",
			  known->count ? "one content of it is known here" :
					 "no content of it is known here");
}

static bool is_clear(const struct known_contents *known)
{
	return known->count == 2 && known->all[0].time < known->all[1].time;
}

static bool find_of_path(const char *operand, const struct diff_recording *recording,
			 const struct content_files *files, struct output *out,
			 struct diff_operand found[2])
{
	struct known_contents known = {};
	char *path = NULL;
	size_t i;

	if (recording->data) {
		if (!add_recorded(&known, recording, operand, &path)) {
			out_error(out, operand,
				  "is the name of several files, such as %s; give the whole path",
				  path ? path : operand);
			free(path);
			return false;
		}
	} else {
		path = realpath(operand, NULL);
		add_kept(&known, files, path ? path : operand);
		add_current(&known, operand);
		array_sort(known.all, known.count, compare_times);
	}
	for (i = 0; is_clear(&known) && i < 2; i++) {
		found[i].request.id = known.all[i].id;
		found[i].path = strdup(path ? path : operand);
		found[i].request.path = found[i].path;
	}
	if (!is_clear(&known))
		tell_contents(out, operand, &known, recording);
	free(path);
	return is_clear(&known);
}

/* ------------------------------------------------------------- of two of them -- */

static bool find_file(const char *operand, struct diff_operand *found)
{
	struct reason unused;
	int fd = open_regular(operand, &unused);
	struct elf_info info;

	if (fd < 0)
		return false;
	elf_file_id(fd, &info);
	if (info.kind == BUILDID_KIND_GNU)
		found->request.id = info.id;
	found->path = strdup(operand);
	found->request.path = found->path;
	found->request.the_file = true;
	close(fd);
	return found->path;
}

static void offer_recorded(struct id_prefix *prefix, const struct diff_recording *recording)
{
	size_t i;

	for (i = 0; i < recording->nr_dsos; i++)
		id_prefix_offer(prefix, recording->dsos[i].id.bytes, recording->dsos[i].id.size);
}

static bool find_id(const char *digits, const struct diff_recording *recording,
		    const struct content_files *files, struct output *out, struct build_id *id)
{
	struct id_prefix prefix;

	if (!id_prefix_is(digits))
		return build_id_parse(id, digits);
	id_prefix_start(&prefix, digits);
	offer_recorded(&prefix, recording);
	if (files->dir)
		id_prefix_offer_stored(&prefix, debug_dir_path(files->dir));
	id_prefix_offer_stored(&prefix, "/usr/lib/debug");
	return id_prefix_settle(&prefix, out, id);
}

/* The path that the recording has for it helps to find the file. */
static void set_path(struct diff_operand *found, const struct diff_recording *recording)
{
	size_t i;

	for (i = 0; i < recording->nr_dsos && !found->path; i++)
		if (build_id_equal(&recording->dsos[i].id, &found->request.id))
			found->path = path_of_dso(&recording->dsos[i]);
	found->request.path = found->path;
}

static bool find_one(const char *operand, const struct diff_recording *recording,
		     const struct content_files *files, struct output *out,
		     struct diff_operand *found)
{
	const char *at = strrchr(operand, '@');
	const char *digits = at ? at + 1 : operand;
	struct build_id whole;

	if (find_file(operand, found))
		return true;
	if (!id_prefix_is(digits) && !build_id_parse(&whole, digits)) {
		out_error(out, operand,
			  "neither a file nor a build-id in hex, nor 8 of its digits or more");
		return false;
	}
	if (!find_id(digits, recording, files, out, &found->request.id))
		return false;
	set_path(found, recording);
	return true;
}

bool diff_operands_find(char *const *operands, const struct diff_recording *recording,
			const struct content_files *files, struct output *out,
			struct diff_operand found[2])
{
	found[0] = found[1] = (struct diff_operand){};
	if (!operands[1])
		return find_of_path(operands[0], recording, files, out, found);
	return find_one(operands[0], recording, files, out, &found[0]) &&
	       find_one(operands[1], recording, files, out, &found[1]);
}
