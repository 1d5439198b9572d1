// SPDX-License-Identifier: GPL-2.0
/*
 * Child: started by posix_spawn(3), which says why a command cannot be run, and copies
 * no page tables of this process.
 */

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "signals.h"

/* posix_spawnp(3), but as execvp(3) and shells do, a text without "#!" is given to sh. */
static int spawn(char **command, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, pid_t *child)
{
	int error = posix_spawnp(child, command[0], actions, attributes, command, environ);
	static char shell[] = "/bin/sh";
	size_t count = 0;
	char **words;

	if (error != ENOEXEC)
		return error;
	while (command[count])
		count++;
	words = calloc(count + 2, sizeof(*words));
	if (!words)
		return ENOMEM;
	words[0] = shell;
	memcpy(words + 1, command, count * sizeof(*words));
	error = posix_spawn(child, shell, actions, attributes, words, environ);
	free(words);
	return error;
}

int child_start(char **command, int output, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	signals_restore_in(&attributes);
	error = output < 0 ? 0 : posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!error)
		error = spawn(command, &actions, &attributes, child);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

int child_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
