// SPDX-License-Identifier: GPL-2.0
/* Content: checks of ELF files and of kallsyms. */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/copy.h"
#include "common/hex.h"
#include "content.h"
#include "elf_file.h"

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

static bool content_refuse(const struct elf_info *info, struct reason *reason)
{
	char text[BUILD_ID_TEXT];

	if (info->problem)
		return reason_set(reason, "cannot be decompressed: %s", info->problem);
	if (info->kind == BUILDID_KIND_GNU)
		return reason_set(reason, "has build-id %s", build_id_text(&info->id, text));
	if (info->kind != BUILDID_KIND_NONE)
		return reason_set(reason, "has no GNU build-id");
	switch (info->reason) {
	case BUILDID_REASON_IO:
		return reason_set(reason, "cannot be read");
	case BUILDID_REASON_NO_NOTE:
		return reason_set(reason, "has no build-id");
	default:
		return reason_set(reason, "is not an ELF file");
	}
}

static bool elf_is(int fd, const struct build_id *id, bool debug, struct reason *reason)
{
	struct elf_info info;

	elf_file_info(fd, &info);
	if (info.kind != BUILDID_KIND_GNU || !build_id_equal(&info.id, id))
		return content_refuse(&info, reason);
	/* A debug file has the segments of the program, without their bytes. */
	if (debug ? info.sections_missing : info.truncated)
		return reason_set(reason, "is truncated");
	return true;
}

/* ----------------------------------------------------------- kallsyms -- */

/* Twice the kernel's longest name. */
#define LINE_ROOM 1024

/* Assembler names for labels like "1:", which arm64 modules keep, contain ^B. */
static bool is_in_name(char c)
{
	return isgraph((unsigned char)c) || c == '\x02';
}

/* "ffffffff81000000 T _text", with "\t[name]" at the end for a module. */
static bool is_symbol(const char *line, bool *address)
{
	const char *at = line;

	for (; hex_digit(*at) >= 0; at++)
		*address |= *at != '0';
	if (at == line || at - line > 16 || at[0] != ' ')
		return false;
	/* A type as of nm, which has "?" for unknown. */
	if ((!isalpha((unsigned char)at[1]) && at[1] != '?') || at[2] != ' ')
		return false;
	for (at += 3; is_in_name(*at) || *at == '\t'; at++)
		;
	return *at == '\n';
}

static bool kallsyms_is(int fd, struct reason *reason)
{
	bool address = false;
	bool good = true;
	size_t lines = 0;
	char line[LINE_ROOM], path[64];
	FILE *file;
	int copy;

	/* Reopened to get a separate file position, unlike with dup(2). */
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
		return reason_set(reason, "is not a copy of /proc/kallsyms");
	if (!address)
		return reason_set(reason, "has no addresses; see /proc/sys/kernel/kptr_restrict");
	return true;
}

bool content_is(int fd, const struct build_id *id, enum content_part part, struct reason *reason)
{
	if (part == CONTENT_KALLSYMS)
		return kallsyms_is(fd, reason);
	return elf_is(fd, id, part == CONTENT_DEBUG, reason);
}

/* --------------------------------------------------------- comparison -- */

enum content_likeness content_compare(int one, int other)
{
	struct stat of_one, of_other;

	if (fstat(one, &of_one) || fstat(other, &of_other) ||
	    (of_one.st_dev == of_other.st_dev && of_one.st_ino == of_other.st_ino))
		return CONTENT_EQUAL;
	if (of_one.st_size == of_other.st_size &&
	    same_bytes(one, other, 0, (uint64_t)of_one.st_size))
		return CONTENT_EQUAL;
	return elf_file_same_code(one, other) ? CONTENT_SAME_CODE : CONTENT_DIFFERENT;
}

/* ---------------------------------------------------------- ownership -- */

static bool mount_of(int fd, const char *path, uint64_t *mount)
{
	struct statx status;

	if (statx(fd, path, AT_EMPTY_PATH, STATX_MNT_ID, &status) ||
	    !(status.stx_mask & STATX_MNT_ID))
		return false;
	*mount = status.stx_mnt_id;
	return true;
}

/* In this process's mount namespace; the mount of a chroot's root may not be listed. */
static bool is_mounted_here(uint64_t mount)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	bool found = false;
	char *line = NULL;
	size_t room = 0;
	uint64_t root;

	if (mount_of(AT_FDCWD, "/", &root) && mount == root)
		found = true;
	while (!found && file && getline(&line, &room, file) > 0)
		found = strtoull(line, NULL, 10) == mount;
	free(line);
	if (file)
		fclose(file);
	return found;
}

/*
 * A FUSE server may claim that a file belongs to root. An overlay repeats that for its layers, and
 * users can mount one in their own namespaces.
 */
static bool is_served(int fd)
{
	struct statfs filesystem;
	uint64_t mount;

	if (fstatfs(fd, &filesystem) || (unsigned int)filesystem.f_type == FUSE_SUPER_MAGIC)
		return true;
	return (unsigned int)filesystem.f_type == OVERLAYFS_SUPER_MAGIC &&
	       (!mount_of(fd, "", &mount) || !is_mounted_here(mount));
}

/*
 * By owner and mode, like sudo and sshd. A user who had a filesystem image mounted may have forged
 * root's files in it. Such mounts are nosuid; but so are /home, /tmp, everything that flatpak's
 * programs see and NixOS' /nix/store, and distrusting all of these would leave no trusted file, and
 * no forgery could be replaced.
 */
enum content_owner content_owner(int fd)
{
	struct stat stat_;

	if (fstat(fd, &stat_) || (stat_.st_uid && stat_.st_uid != geteuid()))
		return CONTENT_OTHERS;
	/* A private group of the user, for which umask 002 is meant. */
	if (stat_.st_mode & S_IWOTH ||
	    (stat_.st_mode & S_IWGRP && stat_.st_gid && stat_.st_gid != getegid()))
		return CONTENT_OTHERS;
	if (is_served(fd))
		return CONTENT_OTHERS;
	return stat_.st_mode & CONTENT_COPY ? CONTENT_COPIED : CONTENT_OURS;
}

bool content_is_ours(int fd)
{
	return content_owner(fd) == CONTENT_OURS;
}
