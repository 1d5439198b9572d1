// SPDX-License-Identifier: GPL-2.0
/*
 * buildid cookie: give an identity to a file whose content has none.
 *
 * For loaders of what is not ELF, and to try out what they would do.
 */

#include <errno.h>
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
	"Give FILE, whose content has no build-id, an identity of 1 to 128 bytes, in hex or as "
	"text. Mappings carry it from the next one on, until FILE changes. Prints the identity "
	"that FILE then has.\v"
	"FILE must belong to the user, and have neither a build-id nor an fs-verity digest.";

static const char examples[] = "buildid cookie app.img --text=app-1.2.3\n"
			       "buildid cookie app.img --clear\n";

#define TOO_SHORT "no bytes; to remove a cookie: --clear"
#define TOO_LONG  "more than 128 bytes"

struct cookie {
	uint8_t bytes[BUILDID_ID_MAX];
	size_t size; /* 0 removes it */
};

static const char *from_hex(struct cookie *cookie, const char *hex)
{
	ssize_t size = hex_parse(cookie->bytes, sizeof(cookie->bytes), hex);

	if (size < 0)
		return size == -E2BIG ? TOO_LONG : "not an even number of hex digits";
	cookie->size = (size_t)size;
	return size ? NULL : TOO_SHORT;
}

static const char *from_text(struct cookie *cookie, const char *text)
{
	cookie->size = strlen(text);
	if (!cookie->size)
		return TOO_SHORT;
	if (cookie->size > sizeof(cookie->bytes))
		return TOO_LONG;
	memcpy(cookie->bytes, text, cookie->size);
	return NULL;
}

/* What an error means here alone, else NULL. */
static const char *problem_of(int err)
{
	switch (err) {
	case -ENOENT:
		return "has no cookie";
	case -EAGAIN:
		return "is being changed; try again";
	case -EOPNOTSUPP:
		return "is never read, and so has no identity";
	default:
		return NULL;
	}
}

static int cookie_set(struct output *out, struct buildid *handle, const char *path, int fd,
		      const struct cookie *cookie)
{
	uint64_t buffer[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	const struct buildid_file *file;
	const char *problem;
	int err;

	err = buildid_set_cookie_fd(handle, fd, cookie->bytes, cookie->size);
	problem = problem_of(err);
	if (!err)
		err = buildid_resolve_fd(handle, fd, buffer, sizeof(buffer), &file);
	if (problem)
		out_error(out, path, "%s", problem);
	else if (err)
		module_error(out, path, err, "only the owner of a file may give it a cookie");
	else
		print_file(out, file, path);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int cookie_run(struct output *out, const char *path, const struct cookie *cookie)
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
		status = cookie_set(out, handle, path, fd, cookie);
		close(fd);
	}
	buildid_close(handle);
	return status;
}

int cmd_cookie(int argc, char **argv)
{
	struct output out;
	const char *text = NULL;
	bool clear = false;
	const struct args_option options[] = {
		{ "text", 0, "TEXT", "the bytes of TEXT", .string = &text },
		{ "clear", 0, NULL, "remove the cookie", .flag = &clear },
		{},
	};
	const struct args args = {
		.command = "cookie",
		.operands = "FILE HEX\nFILE --text=TEXT\nFILE --clear",
		.max_operands = 2,
		.help = help,
		.examples = examples,
		.options = options,
		.out = &out,
	};
	char **operands = args_parse(&args, argc, argv);
	struct cookie cookie = {};
	const char *wrong = NULL;
	const char *hex;

	if (!*operands)
		args_error("FILE", "missing operand");
	hex = operands[1];
	if (!!hex + !!text + clear != 1)
		args_error(*operands, "needs one of HEX, --text and --clear");
	if (hex)
		wrong = from_hex(&cookie, hex);
	else if (text)
		wrong = from_text(&cookie, text);
	if (wrong)
		args_error(hex ? hex : text, wrong);
	return cookie_run(&out, *operands, &cookie);
}
