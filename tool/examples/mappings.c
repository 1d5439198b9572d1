// SPDX-License-Identifier: GPL-2.0
/*
 * A recorder in fifty lines: prints what is mapped executable on this machine, now
 * and from now on, as JSON, one line per mapping. Ends when its output is closed.
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

static void print_mapping(const struct buildid_mmap *mmap, const struct buildid_file *file)
{
	size_t size = 0, i;
	const uint8_t *id = file ? buildid_file_id_bytes(file, &size) : NULL;

	printf("{\"pid\":%u,\"addr\":%llu,\"len\":%llu,\"pgoff\":%llu,", mmap->pid, mmap->addr,
	       mmap->len, mmap->pgoff);
	print_text("kind", buildid_kind_name(file ? file->kind : BUILDID_KIND_NONE));
	printf(",\"build_id\":\"");
	for (i = 0; i < size; i++)
		printf("%02x", id[i]);
	printf("\",");
	print_text("path", file ? buildid_file_path(file) : "");
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
		if (!err && event->record->type == BUILDID_RECORD_MMAP &&
		    !(event->flags & BUILDID_EVENT_DUPLICATE))
			print_mapping((const void *)event->record, event->file);
		fflush(stdout);
	}
	fprintf(stderr, "mappings: %s\n", err ? buildid_strerror(err) : "output closed");
	buildid_recorder_free(recorder);
	return 1;
}
