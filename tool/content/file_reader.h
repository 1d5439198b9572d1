/* SPDX-License-Identifier: GPL-2.0 */
/*
 * File reader: a process of its own that reads files of anybody's. libelf, libdw and the
 * demangler are not made for files that mean harm, so it may open nothing, has limits on memory
 * and time, and, where the caller is root, no rights. What it sends may be the file's doing by
 * then, and is checked by whoever receives it.
 */
#ifndef TOOL_FILE_READER_H
#define TOOL_FILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Its descriptors: the socket, and the first of the files; then the others in order. */
enum {
	FILE_READER_SOCKET = 3,
	FILE_READER_FILE,
};

#define FILE_READER_FILES 4

struct file_reader {
	pid_t pid;
	int socket; /* -1 when it has ended */
};

/*
 * Run @serve in it, whose end is the reader's. @files are the caller's, at most
 * FILE_READER_FILES of them; one of -1 is not open there. False with errno.
 */
bool file_reader_start(struct file_reader *reader, const int *files, size_t count,
		       void (*serve)(const void *context), const void *context);
void file_reader_end(struct file_reader *reader);

/* All of @bytes, at either end of the socket. False when the other one has ended. */
bool file_reader_send(int socket, const void *bytes, size_t size);
bool file_reader_receive(int socket, void *bytes, size_t size);

#endif
