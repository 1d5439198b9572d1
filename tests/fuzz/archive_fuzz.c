// SPDX-License-Identifier: GPL-2.0
/*
 * An archive of any content, unbundled. Whatever is in it: what was not made by unbundle is
 * untouched, and each file made is in its place, with the build-id that it is filed under.
 */

#include <err.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <tar.h>

#include "commands/store/unbundle.c"
#include "content/elf_file.h"
#include "fuzz.h"

#define BLOCK_SIZE 512
#define NOBODY	   65534

/* No file grows larger than this, so that nothing fills the memory. */
#define FILE_LARGEST (4 << 20)

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned int seed);

/* ------------------------------------------------------------ checksums -- */

/* Of a header of tar, with the field itself as blanks. */
static void set_checksum(uint8_t *header)
{
	unsigned int sum = 0, i;

	memset(header + 148, ' ', 8);
	for (i = 0; i < BLOCK_SIZE; i++)
		sum += header[i];
	snprintf((char *)header + 148, 8, "%06o", sum & 0777777);
}

static uint64_t size_in(const uint8_t *header)
{
	char text[13] = "";

	memcpy(text, header + 124, 12);
	return strtoull(text, NULL, 8);
}

/* Else libarchive would read no mutated header. One in eight stays as it is. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned int seed)
{
	size_t at;

	size = LLVMFuzzerMutate(bytes, size, room);
	for (at = 0; seed % 8 && at + BLOCK_SIZE <= size; at += BLOCK_SIZE) {
		uint64_t content = size_in(bytes + at);

		/* The end, and what is compressed. */
		if (!bytes[at] || memcmp(bytes + at + 257, TMAGIC, 5) != 0)
			break;
		set_checksum(bytes + at);
		if (content > size - at)
			break;
		at += (content + BLOCK_SIZE - 1) / BLOCK_SIZE * BLOCK_SIZE;
	}
	return size;
}

/* ---------------------------------------------------------------- place -- */

static char *root; /* all that unbundle may write to, and nothing of others is in it */

static void check_content(const char *path, const char *below)
{
	const char *file = strrchr(below, '/') + 1;
	struct build_id id, wanted;
	char directory[PATH_MAX];
	int fd;

	snprintf(directory, sizeof(directory), "%.*s", (int)(file - 1 - below), below);
	if (!strrchr(directory, '/') || !build_id_parse(&wanted, strrchr(directory, '/') + 1))
		fuzz_die("%s: below no build-id", path);
	/* It has none to be compared with. */
	if (!strcmp(file, "kallsyms"))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || !elf_file_build_id(fd, &id) || !build_id_equal(&id, &wanted))
		fuzz_die("%s: has another build-id", path);
	close(fd);
	fuzz_count("contents stored");
}

/* ".debug/.build-id/ab/cdef" and the like lead into the debug dir. */
static void check_link(const char *path, const char *below)
{
	char *target = realpath(path, NULL);
	size_t length = strlen(root);

	if (strncmp(below, ".debug/.build-id/", 17) != 0 || !target ||
	    strncmp(target, root, length) != 0 || strncmp(target + length, "/.debug/", 8) != 0)
		fuzz_die("%s: a link to %s", path, target ? target : "nowhere");
	free(target);
}

static int check_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	const char *below = path + strlen(root) + 1;

	(void)ftw;
	if (type == FTW_D || !strncmp(below, "perf.data", 9))
		return 0;
	if (strncmp(below, ".debug/", 7) != 0)
		fuzz_die("%s: outside", path);
	if (type == FTW_SL || type == FTW_SLN)
		check_link(path, below);
	else if (!S_ISREG(status->st_mode) || status->st_mode & 07022)
		fuzz_die("%s: mode %o", path, status->st_mode);
	else if (strcmp(strrchr(below, '/'), "/probes") != 0)
		check_content(path, below);
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	if (remove(path))
		err(1, "%s", path);
	return 0;
}

static void start(void)
{
	struct rlimit limit = { FILE_LARGEST, FILE_LARGEST };

	if (root)
		return;
	signal(SIGXFSZ, SIG_IGN);
	root = strdup(fuzz_name("root"));
	if (!root || setrlimit(RLIMIT_FSIZE, &limit))
		err(1, "RLIMIT_FSIZE");
	fuzz_silence();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char debug[64], data[64];
	struct job job = {
		.bundle = fuzz_path(0, bytes, size),
		.directory = debug,
		.data_path = data,
		.data = { .path = data, .place = { .directory = -1, .there = -1 }, .fd = -1 },
	};
	int status;

	start();
	snprintf(debug, sizeof(debug), "%s/.debug", root);
	snprintf(data, sizeof(data), "%s/perf.data", root);
	if (mkdir(root, 0700) || (!getuid() && chown(root, NOBODY, NOBODY)))
		err(1, "%s", root);
	out_init(&job.out, stdout, size & 1);
	/* Root's files are out of its reach. */
	if (!getuid() && seteuid(NOBODY))
		err(1, "seteuid");
	status = unbundle_run(&job);
	if (seteuid(getuid()))
		err(1, "seteuid");
	fuzz_count(status ? "something refused" : "all unpacked");
	if (nftw(root, check_entry, 16, FTW_PHYS) ||
	    nftw(root, remove_entry, 16, FTW_PHYS | FTW_DEPTH))
		err(1, "%s", root);
	return 0;
}
