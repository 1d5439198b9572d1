// SPDX-License-Identifier: GPL-2.0
/* write_seeds: writes what the fuzzers begin with, a directory for each; the same every time. */

#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "seeds.h"

void seed_write(const char *directory, const void *bytes, size_t size)
{
	static unsigned int number;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%04u", directory, ++number);
	file = fopen(path, "we");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		err(1, "%s", path);
}

/* Each recording with a log of its mappings, and with one that is less of one. */
void seed_annotate(void)
{
	static unsigned char bytes[1 << 18];
	const unsigned char *log;
	const struct make *data;
	uint64_t data_size;
	size_t log_size;
	unsigned int i;

	for (i = 0; i < 2 * SEED_PERFDATA; i++) {
		data = seed_make_perfdata(i % SEED_PERFDATA);
		log = seed_make_log(i < SEED_PERFDATA ? SEED_LOG_ALL : i, &log_size);
		data_size = data->size;
		if (sizeof(data_size) + data->size + log_size > sizeof(bytes))
			errx(1, "not room enough");
		memcpy(bytes, &data_size, sizeof(data_size));
		memcpy(bytes + sizeof(data_size), data->bytes, data->size);
		memcpy(bytes + sizeof(data_size) + data->size, log, log_size);
		seed_write("annotate", bytes, sizeof(data_size) + data->size + log_size);
	}
}

int main(void)
{
	static const struct {
		const char *directory;
		void (*write)(void);
	} all[] = {
		{ "elf", seed_elf }, { "elf-large", NULL },	  { "perfdata", seed_perfdata },
		{ "log", seed_log }, { "archive", seed_archive }, { "annotate", seed_annotate },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		mkdir(all[i].directory, 0755);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].write)
			all[i].write();
	return 0;
}
