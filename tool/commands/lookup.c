// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup: a question is a path with a descriptor of its root directory, an answer a
 * struct lookup.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/open_regular.h"
#include "lookup.h"

/* Halved by each silence, as a user may have many users' processes: twice that in all. */
#define PATIENCE_MS	5000
#define PATIENCE_MIN_MS 78

/* open_untrusted_in() says it in words. What is no regular file is none to compare with. */
static int why_not(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	struct stat stat_;
	int error;

	if (fd < 0)
		return errno;
	error = fstat(fd, &stat_) ? errno : S_ISREG(stat_.st_mode) ? EACCES : ENOENT;
	close(fd);
	return error;
}

static int look_up(int root, const char *path, struct lookup *lookup)
{
	/* The worker's own. */
	static struct buildid *handle;
	const struct buildid_file *file;
	struct reason reason;
	int err, fd;

	err = handle ? 0 : buildid_open(&handle);
	if (err)
		return -err;
	fd = open_untrusted_in(root, path, &reason);
	if (fd < 0)
		return why_not(root, path);
	err = buildid_resolve_fd(handle, fd, lookup->record, sizeof(lookup->record), &file);
	close(fd);
	return -err;
}

static void answer_lookup(const struct worker_message *question, struct worker_message *answer)
{
	struct lookup *lookup = answer->data;

	memset(lookup, 0, sizeof(*lookup));
	lookup->error = look_up(question->fd, question->data, lookup);
}

struct worker lookup_worker(void)
{
	return (struct worker){
		.task = answer_lookup,
		.question_max = BUILDID_RECORD_MAX,
		.answer_max = sizeof(struct lookup),
		.patience_ms = PATIENCE_MS,
		.socket = -1,
	};
}

void lookup_find(struct worker *worker, int root, const char *path, struct lookup *lookup)
{
	const struct worker_message question = { (void *)(uintptr_t)path, strlen(path) + 1, root };
	struct worker_message answer = { lookup, sizeof(*lookup), -1 };
	int error = EINVAL;

	if (*path && question.size <= worker->question_max)
		error = worker_ask(worker, &question, &answer);
	if (error == ETIMEDOUT)
		worker->patience_ms = MAX(worker->patience_ms / 2, PATIENCE_MIN_MS);
	if (error)
		lookup->error = error;
}
