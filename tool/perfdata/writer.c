// SPDX-License-Identifier: GPL-2.0
/* Writer: buffered, patched, synced and renamed. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/attributes.h"
#include "common/copy.h"
#include "common/entry.h"
#include "common/own_place.h"
#include "common/temporary.h"
#include "writer.h"

#define BUFFER (1U << 20)
/* What is longer does not go through the buffer. */
#define SHORT	 (BUFFER / 4)
#define COPY_MAX (1U << 30)

struct perfdata_writer {
	struct perfdata *data;
	char *path;		/* final; NULL for standard output */
	struct own_place place; /* where that is: its owner may replace the directory */
	char temporary[32];	/* temporary name of an output directory; "" for none */
	int directory;		/* that directory, or -1 */
	struct temporary file;	/* or an output file */
	struct stat before;	/* of the input */
	struct stat there;	/* of what has the name now */
	bool is_there;
	int *fds;	   /* of the streams; -1 for not begun */
	uint64_t *offsets; /* bytes written to them */
	size_t current;
	unsigned char *buffer;
	size_t filled;
	bool replaces; /* the input */
	bool committed;
};

static int writer_fail(struct perfdata_writer *output, const char *what)
{
	return perfdata_fail(output->data, "%s: %s", what, strerror(errno));
}

static int writer_put(struct perfdata_writer *output, int fd, const void *bytes, size_t size,
		      uint64_t offset)
{
	return pwrite_all(fd, bytes, size, (off_t)offset) ?
		       0 :
		       writer_fail(output, "cannot write the annotated copy");
}

static int flush(struct perfdata_writer *output)
{
	size_t filled = output->filled;
	uint64_t *offset = &output->offsets[output->current];

	output->filled = 0;
	if (!filled)
		return 0;
	if (writer_put(output, output->fds[output->current], output->buffer, filled, *offset))
		return -1;
	*offset += filled;
	return 0;
}

uint64_t perfdata_writer_offset(const struct perfdata_writer *output)
{
	return output->offsets[output->current] + output->filled;
}

/* Long data is written without the buffer. */
static int put_long(struct perfdata_writer *output, const void *bytes, size_t size)
{
	uint64_t *offset = &output->offsets[output->current];

	if (flush(output) || writer_put(output, output->fds[output->current], bytes, size, *offset))
		return -1;
	*offset += size;
	return 0;
}

int perfdata_writer_put(struct perfdata_writer *output, const void *bytes, size_t size)
{
	if (size >= SHORT)
		return put_long(output, bytes, size);
	while (size) {
		size_t part = BUFFER - output->filled;

		if (!part && flush(output))
			return -1;
		part = BUFFER - output->filled;
		if (part > size)
			part = size;
		memcpy(output->buffer + output->filled, bytes, part);
		output->filled += part;
		bytes = (const char *)bytes + part;
		size -= part;
	}
	return 0;
}

int perfdata_writer_patch(struct perfdata_writer *output, size_t number, const void *bytes,
			  size_t size, uint64_t offset)
{
	if (number == output->current && flush(output))
		return -1;
	return writer_put(output, output->fds[number], bytes, size, offset);
}

static int copy_short(struct perfdata_writer *output, int input, uint64_t from, size_t size)
{
	if (size > BUFFER - output->filled && flush(output))
		return -1;
	if (perfdata_pread(output->data, input, output->buffer + output->filled, size, from))
		return -1;
	output->filled += size;
	return 0;
}

static int copy_long(struct perfdata_writer *output, int input, uint64_t from, size_t size)
{
	uint64_t *offset = &output->offsets[output->current];
	ssize_t done;

	if (flush(output))
		return -1;
	done = copy_bytes(input, from, output->fds[output->current], *offset, size);
	if (done < 0)
		return writer_fail(output, "cannot make the annotated copy");
	if ((size_t)done < size)
		return perfdata_fail(output->data, "cut short: ends at byte %" PRIu64,
				     from + (uint64_t)done);
	*offset += size;
	return 0;
}

int perfdata_writer_copy(struct perfdata_writer *output, uint64_t from, uint64_t size)
{
	int input = output->data->streams[output->current].fd;

	while (size) {
		size_t part = size < COPY_MAX ? (size_t)size : COPY_MAX;

		if (part < SHORT ? copy_short(output, input, from, part) :
				   copy_long(output, input, from, part))
			return -1;
		from += part;
		size -= part;
	}
	return 0;
}

/* ------------------------------------------------------------------- begin -- */

static int open_stream(struct perfdata_writer *output, size_t number)
{
	if (!output->path)
		return temporary_unnamed();
	if (!output->data->directory)
		return temporary_open(&output->file, output->place.directory, 0600) ?
			       output->file.fd :
			       -1;
	return entry_create(output->directory, output->data->streams[number].name, 0600);
}

int perfdata_writer_stream(struct perfdata_writer *output, size_t number)
{
	if (flush(output))
		return -1;
	output->current = number;
	if (output->fds[number] < 0)
		output->fds[number] = open_stream(output, number);
	if (output->fds[number] < 0)
		return writer_fail(output, "cannot make the annotated copy");
	return 0;
}

/* Is what has the name the input, opened as @fd? */
static bool is_input(const struct perfdata_writer *output, int fd)
{
	struct stat input;

	return !fstat(fd, &input) && input.st_dev == output->there.st_dev &&
	       input.st_ino == output->there.st_ino;
}

/* Everything below it is replaced, so it has to be the input. */
static int replace_directory(struct perfdata_writer *output)
{
	if (is_input(output, output->data->directory_fd))
		return 0;
	return perfdata_fail(output->data,
			     "%s: exists, and no directory but the input is replaced: give another "
			     "--output",
			     output->path);
}

static int fail_place(struct perfdata_writer *output, const struct reason *reason)
{
	return perfdata_fail(output->data, "%s: %s", output->path, reason->text);
}

/* A rename would replace even a device; and, if the output was mistyped, anything. */
static int check_place(struct perfdata_writer *output)
{
	const struct own_place *place = &output->place;
	bool directory = output->data->directory;
	struct reason reason;

	output->is_there = place->there >= 0;
	if (!output->is_there)
		return 0;
	if (fstat(place->there, &output->there))
		return writer_fail(output, output->path);
	if (directory && S_ISDIR(output->there.st_mode))
		return replace_directory(output);
	if (directory || !S_ISREG(output->there.st_mode) || place->is_proc)
		return perfdata_fail(output->data, "%s: not a %s", output->path,
				     directory ? "directory" : "regular file");
	if (is_input(output, output->data->streams[0].fd) ||
	    own_place_is_free(place, "PERFILE2", 8, &reason))
		return 0;
	return fail_place(output, &reason);
}

static int make_temporary_directory(struct perfdata_writer *output)
{
	temporary_make_name(output->temporary);
	output->directory = entry_make_directory(output->place.directory, output->temporary, 0700);
	if (output->directory >= 0)
		return 0;
	*output->temporary = '\0';
	return writer_fail(output, output->path);
}

static int writer_prepare(struct perfdata_writer *output, const char *path)
{
	struct perfdata *data = output->data;
	struct reason reason;
	size_t i;

	output->fds = calloc(data->nr_streams, sizeof(*output->fds));
	output->offsets = calloc(data->nr_streams, sizeof(*output->offsets));
	output->buffer = malloc(BUFFER);
	if (!output->fds || !output->offsets || !output->buffer)
		return writer_fail(output, "memory");
	for (i = 0; i < data->nr_streams; i++)
		output->fds[i] = -1;

	output->replaces = !path && strcmp(data->path, "-");
	if (output->replaces)
		path = data->path;
	if (!path || !strcmp(path, "-"))
		return data->directory ?
			       perfdata_fail(data,
					     "a directory does not fit into standard output") :
			       0;
	output->path = strdup(path);
	if (!output->path)
		return writer_fail(output, path);
	/* A symbolic link stays one. */
	if (!own_place_open(&output->place, path, true, &reason))
		return fail_place(output, &reason);
	if (output->place.there >= 0) {
		free(output->path);
		output->path = own_place_path(&output->place);
	}
	if (!output->path)
		return writer_fail(output, path);
	if (check_place(output))
		return -1;
	return data->directory ? make_temporary_directory(output) : 0;
}

struct perfdata_writer *perfdata_writer_new(struct perfdata *data, const char *path)
{
	struct perfdata_writer *output = calloc(1, sizeof(*output));

	if (!output) {
		perfdata_no_memory(data);
		return NULL;
	}
	output->data = data;
	output->place.directory = output->place.there = -1;
	output->directory = -1;
	output->file.fd = -1;
	if (fstat(data->streams[0].fd, &output->before))
		writer_fail(output, data->path);
	else if (!writer_prepare(output, path))
		return output;
	perfdata_writer_free(output);
	return NULL;
}

/* ------------------------------------------------------------------ commit -- */

/* As cp(1) does for a new file or directory. */
static int set_new_mode(int fd, const struct stat *like)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, like->st_mode & 0777 & ~mask);
}

/* @to replaces @from. */
static int keep_attributes(struct perfdata_writer *output, int from, int to)
{
	struct reason reason;

	return attributes_copy(from, to, &reason) ? 0 : fail_place(output, &reason);
}

/* What replaces the input gets its attributes; @to is a copy of @from. */
static int set_attributes(struct perfdata_writer *output, int from, int to)
{
	struct stat like;

	if (output->replaces)
		return keep_attributes(output, from, to);
	return fstat(from, &like) || set_new_mode(to, &like) ? writer_fail(output, output->path) :
							       0;
}

static int make_directory(struct perfdata_writer *output, int from, int parent, const char *name)
{
	int fd = entry_make_directory(parent, name, 0700);

	if (fd >= 0 && set_attributes(output, from, fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Hard links to all files that were not rewritten. */
static int link_tree(struct perfdata_writer *output, int from, int to)
{
	struct dirent **entries;
	int count = scandirat(from, ".", &entries, NULL, alphasort);
	int err = count < 0 ? -1 : 0;
	int i;

	for (i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		int inner_from, inner_to;

		/* Rewritten streams already exist. */
		if (err || !strcmp(name, ".") || !strcmp(name, "..") ||
		    entry_link(from, name, to, name) || errno == EEXIST)
			goto next;
		inner_from = entry_open_directory(from, name);
		inner_to = inner_from < 0 ? -1 : make_directory(output, inner_from, to, name);
		err = inner_to < 0 ? -1 : link_tree(output, inner_from, inner_to);
		if (inner_to >= 0)
			close(inner_to);
		if (inner_from >= 0)
			close(inner_from);
next:
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return err;
}

/* An output other than the input keeps the attributes of what it replaces, as a whole. */
static int keep_what_was_there(struct perfdata_writer *output, int to)
{
	int there = own_place_reopen(&output->place, O_RDONLY);
	int err = there < 0 ? writer_fail(output, output->path) :
			      keep_attributes(output, there, to);

	if (there >= 0)
		close(there);
	return err;
}

static int finish_file(struct perfdata_writer *output, int from, int to, bool whole)
{
	int err = whole && !output->replaces && output->is_there ? keep_what_was_there(output, to) :
								   set_attributes(output, from, to);

	if (err)
		return err;
	return fsync(to) && errno != EINVAL ? writer_fail(output, output->path) : 0;
}

static int finish_streams(struct perfdata_writer *output)
{
	struct perfdata *data = output->data;
	size_t i;

	if (flush(output))
		return -1;
	for (i = 0; output->path && i < data->nr_streams; i++)
		if (finish_file(output, data->streams[i].fd, output->fds[i], !data->directory))
			return -1;
	return 0;
}

static bool has_name(const struct perfdata_writer *output, const struct stat *what,
		     const char *name)
{
	struct stat now;

	return !fstatat(output->place.directory, name, &now, AT_SYMLINK_NOFOLLOW) &&
	       now.st_dev == what->st_dev && now.st_ino == what->st_ino;
}

/* Another perf record may have started, which renames the file and creates a new one. */
static bool is_still_there(const struct perfdata_writer *output)
{
	const struct perfdata *data = output->data;
	struct stat input;

	return !fstat(data->directory ? data->directory_fd : data->streams[0].fd, &input) &&
	       has_name(output, &input, output->place.name);
}

/* Another process may have written to it. */
static int check_unchanged(struct perfdata_writer *output)
{
	const struct stat *before = &output->before;
	struct stat now;

	if (fstat(output->data->streams[0].fd, &now))
		return writer_fail(output, output->path);
	if (now.st_size != before->st_size ||
	    memcmp(&now.st_mtim, &before->st_mtim, sizeof(now.st_mtim)))
		return perfdata_fail(output->data, "was changed while it was read");
	if (output->replaces && !is_still_there(output))
		return perfdata_fail(output->data, "was moved away while it was read");
	return 0;
}

static int finish_directory(struct perfdata_writer *output)
{
	int from = output->data->directory_fd;

	if (link_tree(output, from, output->directory))
		return writer_fail(output, output->path);
	return finish_file(output, from, output->directory, true);
}

static int fail_came(struct perfdata_writer *output)
{
	return perfdata_fail(output->data,
			     "%s: something came or went there meanwhile, and is left as it is",
			     output->path);
}

static bool rename_directory(const struct perfdata_writer *output, unsigned int flags)
{
	return entry_rename(output->place.directory, output->temporary, output->place.directory,
			    output->place.name, flags);
}

static int name_directory(struct perfdata_writer *output)
{
	if (rename_directory(output, RENAME_NOREPLACE))
		return 0;
	if (errno == EEXIST)
		return fail_came(output);
	/* NFS lacks the flag. Without it, an empty directory created meanwhile is lost. */
	return errno == EINVAL && rename_directory(output, 0) ? 0 :
								writer_fail(output, output->path);
}

/* The temporary name should now have what was there; if not, exchange them back. */
static int remove_exchanged(struct perfdata_writer *output)
{
	if (has_name(output, &output->there, output->temporary)) {
		entry_remove_tree(output->place.directory, output->temporary);
		return 0;
	}
	if (rename_directory(output, RENAME_EXCHANGE))
		return fail_came(output);
	return perfdata_fail(output->data, "%s: another came there meanwhile, which is %s now",
			     output->path, output->temporary);
}

static int commit_directory(struct perfdata_writer *output)
{
	if (!output->is_there)
		return name_directory(output);
	if (!has_name(output, &output->there, output->place.name))
		return fail_came(output);
	if (rename_directory(output, RENAME_EXCHANGE))
		return remove_exchanged(output);
	if (errno == EINVAL || errno == EXDEV)
		return perfdata_fail(
			output->data,
			"its file system cannot exchange directories: give an --output");
	return writer_fail(output, output->path);
}

static int commit_file(struct perfdata_writer *output)
{
	if (output->is_there && !has_name(output, &output->there, output->place.name))
		return fail_came(output);
	if (temporary_name(&output->file, output->place.directory, output->place.name,
			   output->is_there))
		return 0;
	return errno == EEXIST ? fail_came(output) : writer_fail(output, output->path);
}

int perfdata_writer_finish(struct perfdata_writer *output)
{
	if (finish_streams(output))
		return -1;
	return output->path && output->data->directory ? finish_directory(output) : 0;
}

int perfdata_writer_commit(struct perfdata_writer *output)
{
	if (check_unchanged(output))
		return -1;
	if (!output->path) {
		if (copy_stream(output->fds[0], STDOUT_FILENO))
			return 0;
		return writer_fail(output, "standard output");
	}
	if (output->data->directory ? commit_directory(output) : commit_file(output))
		return -1;
	output->committed = true;
	fsync(output->place.directory);
	return 0;
}

/* Unless something else has its name by now. */
static void remove_directory(const struct perfdata_writer *output)
{
	struct stat own;

	if (!fstat(output->directory, &own) && has_name(output, &own, output->temporary))
		entry_remove_tree(output->place.directory, output->temporary);
}

void perfdata_writer_free(struct perfdata_writer *output)
{
	size_t i;

	if (!output)
		return;
	for (i = 0; output->fds && i < output->data->nr_streams; i++)
		if (output->fds[i] >= 0 && output->fds[i] != output->file.fd)
			close(output->fds[i]);
	temporary_close(&output->file);
	if (*output->temporary && !output->committed)
		remove_directory(output);
	if (output->directory >= 0)
		close(output->directory);
	own_place_close(&output->place);
	free(output->path);
	free(output->fds);
	free(output->offsets);
	free(output->buffer);
	free(output);
}
