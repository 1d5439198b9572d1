// SPDX-License-Identifier: GPL-2.0
/* buildid cookie: name what has no identity of its own. */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/hex.h"
#include "common/open_regular.h"
#include "print.h"
#include "module.h"

static const char help[] =
	"usage: buildid cookie [-j] FILE HEX\n"
	"       buildid cookie [-j] FILE --text TEXT\n"
	"       buildid cookie [-j] FILE --clear\n"
	"\n"
	"Give FILE, which has no build-id, an identity: 1 to 128 bytes, in hex or as\n"
	"text. Mappings of FILE have it from the next one on, until FILE changes. Prints\n"
	"the identity that FILE has then.\n"
	"\n"
	"      --text TEXT  the bytes of TEXT\n"
	"      --clear      take the cookie back\n"
	"  -j, --json       one object per line\n"
	"  -h, --help       this text\n"
	"\n"
	"FILE has to belong to the user, and must not have a build-id or an fs-verity\n"
	"digest.\n";

struct cookie {
	uint8_t bytes[BUILDID_ID_MAX];
	size_t size; /* 0 to take it back */
};

static const char *from_hex(struct cookie *cookie, const char *hex)
{
	ssize_t size = hex_parse(cookie->bytes, sizeof(cookie->bytes), hex);

	if (size < 0)
		return size == -E2BIG ? "more than 128 bytes" : "not an even number of hex digits";
	cookie->size = (size_t)size;
	return size ? NULL : "no bytes; to take a cookie back: --clear";
}

static const char *from_text(struct cookie *cookie, const char *text)
{
	cookie->size = strlen(text);
	if (!cookie->size)
		return "no bytes; to take a cookie back: --clear";
	if (cookie->size > sizeof(cookie->bytes))
		return "more than 128 bytes";
	memcpy(cookie->bytes, text, cookie->size);
	return NULL;
}

static int set(struct output *out, struct buildid *handle, const char *path, int fd,
	       const struct cookie *cookie)
{
	uint64_t buffer[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	const struct buildid_file *file;
	int err;

	err = buildid_set_cookie_fd(handle, fd, cookie->bytes, cookie->size);
	if (!err)
		err = buildid_resolve_fd(handle, fd, buffer, sizeof(buffer), &file);
	if (err) {
		module_error(out, path, err, "only the owner of a file may name it");
		return EXIT_FAILURE;
	}
	print_file(out, file, path);
	return EXIT_SUCCESS;
}

static int run(struct output *out, const char *path, const struct cookie *cookie)
{
	struct buildid *handle = module_open(out);
	int status = EXIT_FAILURE;
	struct reason reason;
	int fd;

	if (!handle)
		return EXIT_FAILURE;
	fd = open_regular(path, &reason);
	if (fd < 0) {
		out_error(out, path, "%s", reason.text);
	} else {
		status = set(out, handle, path, fd, cookie);
		close(fd);
	}
	buildid_close(handle);
	return status;
}

enum {
	TEXT = 256,
	CLEAR
};

static const struct option options[] = {
	{ "text", required_argument, NULL, TEXT },
	{ "clear", no_argument, NULL, CLEAR },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

int cmd_cookie(int argc, char **argv)
{
	struct cookie cookie = {};
	const char *text = NULL;
	const char *wrong = NULL;
	struct output out;
	bool clear = false;
	bool json = false;
	const char *id;
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		switch (option) {
		case TEXT:
			text = optarg;
			break;
		case CLEAR:
			clear = true;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			return args_help(help);
		default:
			return args_usage(argv);
		}
	}
	if (text && clear)
		return args_wrong(argv, "--clear", "not together with --text");
	if (optind == argc)
		return args_wrong(argv, "FILE", "none given");
	if (optind + 1 + !(text || clear) != argc)
		return args_wrong(argv, argv[optind], "one of HEX, --text and --clear is needed");
	id = text ? text : argv[optind + 1];
	if (!clear)
		wrong = text ? from_text(&cookie, text) : from_hex(&cookie, id);
	if (wrong)
		return args_wrong(argv, id, wrong);

	out_init(&out, stdout, json);
	return run(&out, argv[optind], &cookie);
}
