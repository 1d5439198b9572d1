// SPDX-License-Identifier: GPL-2.0
/*
 * maps COUNT FILE...
 *
 * Maps each FILE executable and unmaps it again, all of them COUNT times. Does
 * not look at the content, so nothing is read for it.
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct file {
	int fd;
	size_t size;
};

static void open_file(struct file *file, const char *path)
{
	struct stat stat;

	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0 || fstat(file->fd, &stat))
		err(1, "%s", path);
	file->size = (size_t)stat.st_size;
}

int main(int argc, char **argv)
{
	struct file *files = calloc((size_t)argc, sizeof(*files));
	long count = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	int i;

	if (!files || count < 1)
		errx(2, "usage: maps COUNT FILE...");
	for (i = 2; i < argc; i++)
		open_file(&files[i], argv[i]);
	while (count--) {
		for (i = 2; i < argc; i++) {
			void *at = mmap(NULL, files[i].size, PROT_READ | PROT_EXEC, MAP_PRIVATE,
					files[i].fd, 0);

			if (at == MAP_FAILED)
				err(1, "%s", argv[i]);
			munmap(at, files[i].size);
		}
	}
	return 0;
}
