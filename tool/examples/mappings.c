// SPDX-License-Identifier: GPL-2.0
/*
 * A recorder in sixty lines: prints what is mapped executable on this machine, now
 * and from now on, as JSON: a line for each mapping, and one for each file, which may
 * come a little later, as it has yet to be read. Ends when its output is closed.
 *
 *	cc mappings.c $(pkg-config --cflags --libs libbuildid)
 */
#include <libbuildid.h>
#include <stdio.h>

static void print_text(const char *key, const char *text)
{
	printf("\"%s\":\"", key);
	for (; *text; text++)
		printf(*text == '"' || *text == '\\' || (unsigned char)*text < ' ' ? "\\u%04x" :
										     "%c",
		       *text);
	printf("\"");
}

static void print_mapping(const struct buildid_mmap *mmap)
{
	printf("{\"file_id\":%llu,\"pid\":%u,\"addr\":%llu,\"len\":%llu,\"pgoff\":%llu}\n",
	       mmap->file_id, mmap->pid, mmap->addr, mmap->len, mmap->pgoff);
}

static void print_file(const struct buildid_file *file)
{
	size_t size, i;
	const uint8_t *id = buildid_file_id_bytes(file, &size);

	printf("{\"file_id\":%llu,", file->file_id);
	print_text("kind", buildid_kind_name(file->kind));
	printf(",\"build_id\":\"");
	for (i = 0; i < size; i++)
		printf("%02x", id[i]);
	printf("\",");
	print_text("path", buildid_file_path(file));
	printf("}\n");
}

int main(void)
{
	const struct buildid_recorder_options options = {
		.size = sizeof(options),
		.flags = BUILDID_RECORDER_SNAPSHOT,
	};
	struct buildid_recorder *recorder;
	const struct buildid_event *event;
	int err = buildid_recorder_new(&recorder, &options);

	while (!err && !ferror(stdout)) {
		err = buildid_recorder_next(recorder, -1, &event);
		if (!err && event->record->type == BUILDID_RECORD_FILE)
			print_file(event->file);
		if (!err && event->record->type == BUILDID_RECORD_MMAP &&
		    !(event->flags & BUILDID_EVENT_DUPLICATE))
			print_mapping((const void *)event->record);
		fflush(stdout);
	}
	fprintf(stderr, "mappings: %s\n", err ? buildid_strerror(err) : "output closed");
	buildid_recorder_free(recorder);
	return 1;
}
