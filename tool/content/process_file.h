/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Process file: a file of /proc/PID that takes a lock of the process to open or to read. The process
 * can keep that locked for as long as it likes, with memory on a FUSE server that does not answer.
 * So a worker does both, in the time of the process's user (waits.h). Not of this process, whose
 * locks are its own, nor in a worker, which may wait.
 */
#ifndef TOOL_PROCESS_FILE_H
#define TOOL_PROCESS_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What process_file_read() reads at most at a time. */
#define PROCESS_FILE_PART 65536

struct process_file {
	int fd;
	bool direct; /* without a worker */
	uint64_t user;
};

/*
 * Open /proc/@pid/@name with @flags, of this process if @pid is 0. False with errno: ETIMEDOUT or
 * ETIME of waits_ask() when it is not waited for.
 */
bool process_file_open(struct process_file *file, uint32_t pid, const char *name, int flags);
/* As pread(2); behind what was read before where @offset is negative. Less only at the end. */
ssize_t process_file_read(const struct process_file *file, void *bytes, size_t size, off_t offset);
void process_file_close(const struct process_file *file);

#endif
