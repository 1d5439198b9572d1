// SPDX-License-Identifier: GPL-2.0
/* Open source: errors are those of module.h. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/waits.h"
#include "module.h"
#include "open_source.h"

const char *option_source(void *kind, const char *name)
{
	enum source_kind *to = kind;

	if (!strcmp(name, "module"))
		*to = SOURCE_MODULE;
	else if (!strcmp(name, "perf"))
		*to = SOURCE_PERF;
	else
		return "not one of module and perf";
	return NULL;
}

static const char *why_without(const struct source *source)
{
	switch (source_problem(source)) {
	case -ENODEV:
		return ", as it is not loaded (modprobe buildid)";
	case -EACCES:
		return ", as " BUILDID_DEVICE " may not be opened";
	default:
		return "";
	}
}

static void source_say(struct output *out, const char *command, const struct source *source,
		       const char *missing)
{
	out->source = "perf";
	if (!out->json)
		fprintf(stderr,
			"buildid: %s: without the module%s%s%s; see buildid(1), WITHOUT THE "
			"MODULE\n",
			command, why_without(source), missing ? ": " : "", missing ? missing : "");
}

void source_note_log(const char *command, const char *path)
{
	fprintf(stderr,
		"buildid: %s: %s was recorded without the module; see buildid(1), WITHOUT THE "
		"MODULE\n",
		command, path);
}

void source_say_log(struct output *out, const char *command, const char *path)
{
	out->source = "perf";
	if (!out->json)
		source_note_log(command, path);
}

struct source *source_for(struct output *out, const char *command, enum source_kind kind,
			  const char *missing)
{
	struct source *source;
	int err = source_open(&source, kind);

	if (err) {
		module_open_error(out, err);
		return NULL;
	}
	if (!source_module(source))
		source_say(out, command, source, missing);
	return source;
}

static void perf_error(struct output *out, int error)
{
	static const char object[] = "perf_event_open";

	if (error == -EACCES || error == -EPERM)
		out_error(out, object,
			  "not permitted; run as root, or where sysctl kernel.perf_event_paranoid "
			  "is 2 or less with CAP_PERFMON, or for processes of your own: by --pid, "
			  "or with a COMMAND of record");
	else if (error == -EINVAL)
		out_error(out, object, "before Linux 5.12 perf's records have no build-ids");
	else
		out_error(out, object, "%s", strerror(-error));
}

struct source_stream *source_subscribe(struct output *out, struct source *source,
				       const struct buildid_options *options)
{
	struct buildid *module = source_module(source);
	struct source_stream *stream;
	int err;

	if (module && module_refuses(out, module, options->ring_size))
		return NULL;
	err = source_stream_open(&stream, source, options);
	if (!err)
		module_warn(module);
	else if (module)
		module_error(out, BUILDID_DEVICE, err, NULL);
	else
		perf_error(out, err);
	return stream;
}

void source_note_missed(const char *command, size_t denied, size_t skipped)
{
	if (denied)
		fprintf(stderr,
			"buildid: %s: %zu processes were not looked at, as that is not permitted%s\n",
			command, denied, geteuid() ? "; run as root" : "");
	if (skipped)
		fprintf(stderr,
			"buildid: %s: %zu processes were not looked at, as they kept calling exec "
			"or kept their address space locked\n",
			command, skipped);
}

bool source_fails_by_silence(struct output *out, const char *command)
{
	if (waits_exhausted())
		out_error(out, command,
			  "files were left out, as %d processes of this command still wait for "
			  "servers that do not answer; unmount those (FUSE, NFS)",
			  WORKERS_LEFT_MAX);
	return waits_exhausted();
}

void source_error(struct output *out, const char *object, const struct source *source, int error)
{
	const char *advice = source_advice(source, error);

	out_error(out, object, "%s%s%s", buildid_strerror(error), advice ? "; " : "",
		  advice ? advice : "");
}
