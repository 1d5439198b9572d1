// SPDX-License-Identifier: GPL-2.0
/* Content: what is in a file decides. */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/hex.h"
#include "content.h"
#include "elf_notes.h"
#include "libbuildid/libbuildid.h"

const char *content_part_name(enum content_part part)
{
	static const char *const names[CONTENT_PARTS] = {
		[CONTENT_ELF] = "elf",
		[CONTENT_DEBUG] = "debug",
		[CONTENT_VDSO] = "vdso",
		[CONTENT_KALLSYMS] = "kallsyms",
	};

	return names[part];
}

/* ---------------------------------------------------------------- ELF -- */

static bool refuse_id(const struct elf_id *found, struct reason *reason)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	if (found->kind == BUILDID_KIND_GNU && build_id_set(&id, found->bytes, found->size))
		return reason_set(reason, "has build-id %s", build_id_text(&id, text));
	if (found->kind != BUILDID_KIND_NONE)
		return reason_set(reason, "has no GNU build-id");
	switch (found->reason) {
	case BUILDID_REASON_IO:
		return reason_set(reason, "cannot be read");
	case BUILDID_REASON_NO_NOTE:
		return reason_set(reason, "has no build-id");
	default:
		return reason_set(reason, "is no ELF file");
	}
}

static bool elf_is(int fd, const struct build_id *id, bool debug, struct reason *reason)
{
	struct elf_info info;

	elf_notes_look(fd, &info);
	if (info.problem)
		return reason_set(reason, "cannot be unpacked: %s", info.problem);
	if (info.id.kind != BUILDID_KIND_GNU || info.id.size != id->size ||
	    memcmp(info.id.bytes, id->bytes, id->size))
		return refuse_id(&info.id, reason);
	/* A debug file's segments are those of the program, whose bytes it lacks. */
	if (debug ? info.sections_cut : info.cut_short)
		return reason_set(reason, "is cut short");
	return true;
}

/* ----------------------------------------------------------- kallsyms -- */

/* Twice what the longest name of the kernel's takes. */
#define LINE_ROOM 1024

/* "ffffffff81000000 T _text", and for a module "\t[name]" behind it. */
static bool is_symbol(const char *line, bool *address)
{
	const char *at = line;

	for (; hex_digit(*at) >= 0; at++)
		*address |= *at != '0';
	if (at == line || at - line > 16 || at[0] != ' ')
		return false;
	/* As nm has it, "?" where that does not know. */
	if ((!isalpha((unsigned char)at[1]) && at[1] != '?') || at[2] != ' ')
		return false;
	for (at += 3; isgraph((unsigned char)*at) || *at == '\t'; at++)
		;
	return at[0] == '\n' && !at[1];
}

static bool kallsyms_is(int fd, struct reason *reason)
{
	bool address = false;
	bool good = true;
	size_t lines = 0;
	char line[LINE_ROOM], path[64];
	FILE *file;
	int copy;

	/* Its position is its own then, as of no copy of a descriptor. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	copy = open(path, O_RDONLY | O_CLOEXEC);
	file = copy < 0 ? NULL : fdopen(copy, "r");
	if (!file)
		return reason_set(reason, "%s", strerror(errno));
	for (; good && fgets(line, sizeof(line), file); lines++)
		good = is_symbol(line, &address);
	good = good && !ferror(file);
	fclose(file);
	if (!good || !lines)
		return reason_set(reason, "is no list of a kernel's symbols");
	if (!address)
		return reason_set(reason, "has no addresses, see /proc/sys/kernel/kptr_restrict");
	return true;
}

bool content_is(int fd, const struct build_id *id, enum content_part part, struct reason *reason)
{
	if (part == CONTENT_KALLSYMS)
		return kallsyms_is(fd, reason);
	return elf_is(fd, id, part == CONTENT_DEBUG, reason);
}
