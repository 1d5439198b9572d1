// SPDX-License-Identifier: GPL-2.0
/* Commands: run one in a child and look at what it did. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "command.h"
#include "common/clock.h"

#define WAIT_STEP_US 10000
#define WAIT_STEPS   3000

/* A command that hangs is to fail. */
#define TIMEOUT_S 60

char out[65536], err[65536];

static char directory[32];

int command_set_up(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/buildid-test.XXXXXX");
	return mkdtemp(directory) ? chdir(directory) : -1;
}

int command_tear_down(void **state)
{
	char remove[64];

	(void)state;
	snprintf(remove, sizeof(remove), "rm -r %s", directory);
	return chdir("/") || system(remove);
}

void command_slurp(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

/* Not only the descriptor: a stream that was used keeps its way to buffer. */
static void redirect(FILE *stream, const char *path)
{
	if (!freopen(path, "w", stream))
		_exit(99);
}

pid_t command_start(int (*command)(int, char **), const char *const *words)
{
	char *argv[32];
	int argc = 0;
	pid_t child;

	for (; *words; words++)
		argv[argc++] = strdup(*words);
	argv[argc] = NULL;
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		/* who runs the tests in the background may have set them to be ignored */
		signal(SIGHUP, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		alarm(TIMEOUT_S);
		redirect(stdout, "out");
		redirect(stderr, "err");
		exit(command(argc, argv));
	}
	while (argc)
		free(argv[--argc]);
	return child;
}

static int wait_for(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	command_slurp("out", out, sizeof(out));
	command_slurp("err", err, sizeof(err));
	return status;
}

int command_finish(pid_t child)
{
	int status = wait_for(child);

	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

int command_finish_killed(pid_t child)
{
	int status = wait_for(child);

	assert_true(WIFSIGNALED(status));
	return WTERMSIG(status);
}

/* ------------------------------------------------------------ terminals -- */

static int terminal = -1;
static int (*on_terminal)(int, char **);

void command_resize(unsigned short columns, unsigned short rows)
{
	struct winsize size = { .ws_col = columns, .ws_row = rows };

	assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
}

static int run_on_terminal(int argc, char **argv)
{
	int fd = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	struct termios mode;

	if (fd < 0 || tcgetattr(fd, &mode))
		return 98;
	cfmakeraw(&mode);
	if (tcsetattr(fd, TCSANOW, &mode) || dup2(fd, STDOUT_FILENO) < 0)
		return 98;
	close(fd);
	return on_terminal(argc, argv);
}

pid_t command_start_on_terminal(int (*command)(int, char **), unsigned short columns,
				unsigned short rows, const char *const *words)
{
	unsetenv("COLUMNS");
	setenv("NO_COLOR", "1", 1);
	setenv("LC_ALL", "C", 1);
	on_terminal = command;
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0);
	assert_int_equal(grantpt(terminal) || unlockpt(terminal), 0);
	command_resize(columns, rows);
	return command_start(run_on_terminal, words);
}

int command_finish_on_terminal(pid_t child)
{
	int status = command_finish(child);
	size_t size = 0;
	ssize_t part;

	/* Kept until it is read, and then EIO, as nobody has the other end. */
	while ((part = read(terminal, out + size, sizeof(out) - 1 - size)) > 0)
		size += (size_t)part;
	out[size] = '\0';
	close(terminal);
	return status;
}

/* ----------------------------------------------------------------- waits -- */

void wait_until(bool (*is_so)(void))
{
	int step;

	for (step = 0; step < WAIT_STEPS && !is_so(); step++)
		usleep(WAIT_STEP_US);
	assert_true(is_so());
}

bool all_is_consumed(void)
{
	return fake_produced() && fake_consumed() == fake_produced();
}

void put_file(uint64_t file_id, uint16_t id_len, uint16_t reason)
{
	union any_record record;

	make_file(&record, file_id, id_len, reason, "/f");
	assert_true(fake_put(&record));
}

void put_file_of(uint32_t pid, uint64_t file_id, uint16_t id_len, const char *path)
{
	union any_record record;

	make_file(&record, file_id, id_len, 0, path);
	record.file.pid = pid;
	record.file.tid = pid + 1;
	assert_true(fake_put(&record));
}

void put_mapping(uint64_t file_id, uint16_t id_len, const char *path)
{
	put_mmap(file_id, BUILDID_STATE_FOLLOWS);
	put_file_of(77, file_id, id_len, path);
}

void put_mmap(uint64_t file_id, uint32_t state)
{
	union any_record record;

	make_mmap(&record, file_id, state, 77);
	record.header.time_mono = clock_ns(CLOCK_MONOTONIC);
	assert_true(fake_put(&record));
}

void put_lost(uint64_t count)
{
	union any_record record;

	make_lost(&record, count);
	assert_true(fake_put(&record));
}
