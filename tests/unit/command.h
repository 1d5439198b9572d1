/* SPDX-License-Identifier: GPL-2.0 */
/* Commands: run one in a child and look at what it did, with a fake module. */
#ifndef TESTS_COMMAND_H
#define TESTS_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "commands/commands.h"
#include "fake_module.h"

/* What the last command printed. */
extern char out[65536], err[65536];

/*
 * Cmocka fixtures of a group: a directory of its own to be in, which holds the
 * files "out" and "err", too.
 */
int command_set_up(void **state);
int command_tear_down(void **state);

/* In a child: a command may change what is the process's, like signals. */
pid_t command_start(int (*command)(int, char **), const char *const *words);
/* The exit status, with out[] and err[] filled. */
int command_finish(pid_t child);
/* The same for one that a signal ended: which signal. */
int command_finish_killed(pid_t child);
/*
 * With a terminal of that size as standard output, without colours and in ASCII; out[] has
 * what was on it.
 */
pid_t command_start_on_terminal(int (*command)(int, char **), unsigned short columns,
				unsigned short rows, const char *const *words);
void command_resize(unsigned short columns, unsigned short rows);
int command_finish_on_terminal(pid_t child);
/* Into @text what a file holds, with a NUL. */
void command_slurp(const char *path, char *text, size_t size);

#define WORDS(...)	    ((const char *const[]){ __VA_ARGS__, NULL })
#define START(command, ...) command_start(cmd_##command, WORDS("buildid " #command, ##__VA_ARGS__))
#define RUN(command, ...)   command_finish(START(command, ##__VA_ARGS__))

/* Until @is_so, for as long as a slow machine may take. */
void wait_until(bool (*is_so)(void));
/* Whether the command took all that was put into the ring. */
bool all_is_consumed(void);

/* Into the ring: a FILE of path "/f", a MMAP of now by process 77, a LOST. */
void put_file(uint64_t file_id, uint16_t id_len, uint16_t reason);
/* Of what process @pid has mapped; mappings are those of 77. */
void put_file_of(uint32_t pid, uint64_t file_id, uint16_t id_len, const char *path);
void put_mmap(uint64_t file_id, uint32_t state);
/* With BUILDID_SUB_PATH: the file behind it. */
void put_mapping(uint64_t file_id, uint16_t id_len, const char *path);
void put_lost(uint64_t count);

#endif
