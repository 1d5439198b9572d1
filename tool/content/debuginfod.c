// SPDX-License-Identifier: GPL-2.0
/* Debuginfod: the only file that knows libdebuginfod. */

#include <elfutils/debuginfod.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/shared_library.h"
#include "debuginfod.h"

/* Nanoseconds between reports of progress, on a terminal and elsewhere. */
#define PERIOD_TERMINAL 200000000ULL
#define PERIOD_LOG	5000000000ULL

/* A timeout takes up to 90 seconds, and a perf.data may have a thousand files. */
#define SILENT_MAX 2

/* Loaded before a server is asked; names without "debuginfod_". */
#define FUNCTIONS(F) \
	F(begin)     \
	F(end)       \
	F(get_user_data) F(set_user_data) F(set_progressfn) F(find_debuginfo) F(find_executable)

static struct library {
	bool loaded;
#define POINTER(name) __typeof__(debuginfod_##name) *name;
	FUNCTIONS(POINTER)
#undef POINTER
} library;

struct debuginfod {
	debuginfod_client *client;
	unsigned int silent; /* requests without a response, in a row */
	bool terminal;
	bool shown;    /* a progress line without its newline */
	uint64_t next; /* when to report */
	char id[BUILD_ID_TEXT];
};

static bool debuginfod_load(struct reason *reason)
{
#define FUNCTION(name) { "debuginfod_" #name, offsetof(struct library, name) },
	static const struct shared_function functions[] = { FUNCTIONS(FUNCTION) };
#undef FUNCTION
	const char *problem = NULL;

	if (!library.loaded)
		problem = shared_library_open("libdebuginfod.so.1", functions,
					      ARRAY_SIZE(functions), &library);
	library.loaded = !problem;
	return library.loaded || reason_set(reason, "debuginfod: %s", problem);
}

struct debuginfod *debuginfod_new(void)
{
	struct debuginfod *new = calloc(1, sizeof(*new));

	if (new)
		new->terminal = isatty(STDERR_FILENO);
	return new;
}

void debuginfod_free(struct debuginfod *client)
{
	if (!client)
		return;
	if (client->client)
		library.end(client->client);
	free(client);
}

/* @done of @all bytes; or of servers, until the size is known. */
static int debuginfod_show(debuginfod_client *handle, long done, long all)
{
	struct debuginfod *client = library.get_user_data(handle);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now < client->next)
		return 0;
	client->next = now + (client->terminal ? PERIOD_TERMINAL : PERIOD_LOG);
	if (client->terminal)
		fputc('\r', stderr);
	if (all > 0)
		fprintf(stderr, "buildid: %.16s: debuginfod: %ld of %ld kB ", client->id,
			done >> 10, all >> 10);
	else
		fprintf(stderr, "buildid: %.16s: debuginfod: asking ", client->id);
	if (!client->terminal)
		fputc('\n', stderr);
	client->shown = client->terminal;
	return 0;
}

bool debuginfod_ready(struct debuginfod *client, struct reason *reason)
{
	const char *urls = getenv(DEBUGINFOD_URLS_ENV_VAR);

	if (!urls || !urls[strspn(urls, " ")])
		return reason_set(reason, "DEBUGINFOD_URLS is not set");
	if (client->client)
		return true;
	if (!debuginfod_load(reason))
		return false;
	client->client = library.begin();
	if (!client->client)
		return reason_set(reason, "debuginfod: %s", strerror(ENOMEM));
	library.set_user_data(client->client, client);
	library.set_progressfn(client->client, debuginfod_show);
	return true;
}

/* With several servers the error does not say which of them it was. */
static bool is_silent(int error)
{
	const char *urls = getenv(DEBUGINFOD_URLS_ENV_VAR);

	switch (error) {
	case ETIME:
	case ETIMEDOUT:
	case ECONNREFUSED:
	case EHOSTUNREACH:
	case ENETUNREACH:
		return !strchr(urls + strspn(urls, " "), ' ');
	default:
		return false;
	}
}

static const char *text_of(int error)
{
	switch (error) {
	case ENOENT:
		return "not found";
	case ENOSYS:
		return "DEBUGINFOD_URLS has no server";
	default:
		return strerror(error);
	}
}

int debuginfod_get(struct debuginfod *client, const struct build_id *id, enum content_part part,
		   char **path, struct reason *reason)
{
	int fd;

	*path = NULL;
	if (!debuginfod_ready(client, reason))
		return -1;
	if (client->silent == SILENT_MAX) {
		reason_set(reason, "debuginfod: skipped, as the server did not respond");
		return -1;
	}
	build_id_text(id, client->id);
	/* At once on a terminal; in a log only if it takes long. */
	client->next = clock_ns(CLOCK_MONOTONIC) + (client->terminal ? 0 : PERIOD_LOG);
	/* A length of 0 says that the id is in hex. */
	fd = part == CONTENT_DEBUG ?
		     library.find_debuginfo(client->client, (void *)client->id, 0, path) :
		     library.find_executable(client->client, (void *)client->id, 0, path);
	if (client->shown)
		fputs("\r\033[K", stderr);
	client->shown = false;
	client->silent = is_silent(-fd) ? client->silent + 1 : 0;
	if (fd >= 0)
		return fd;
	reason_set(reason, "debuginfod: %s", text_of(-fd));
	return -1;
}
