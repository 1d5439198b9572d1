/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Package: which package of a distribution a file is of, by a note in the file itself
 * (systemd.io/ELF_PACKAGE_METADATA), or by what the distribution's database says of its path.
 * The first goes with the content; the second is true of what is at the path now, if at all.
 */
#ifndef TOOL_PACKAGE_H
#define TOOL_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The texts that are known of a package. A note's name is that of the source package. */
enum package_text {
	PACKAGE_TYPE, /* deb, rpm ... */
	PACKAGE_OS,   /* ID of os-release, with the next one its VERSION_ID */
	PACKAGE_OS_VERSION,
	PACKAGE_NAME,
	PACKAGE_VERSION,
	PACKAGE_ARCHITECTURE,
	PACKAGE_OS_CPE,
	PACKAGE_DEBUG_INFO_URL,
	PACKAGE_SOURCE, /* of a database, where it has another name or version */
	PACKAGE_SOURCE_VERSION,
	PACKAGE_NOTE, /* the note itself, with all keys that it has */
	PACKAGE_TEXTS
};

enum package_origin {
	PACKAGE_NONE,
	PACKAGE_BY_NOTE,
	PACKAGE_BY_DPKG,
	PACKAGE_BY_APK,
	PACKAGE_BY_PACMAN,
};

/* No text is longer: what is, is none that a package has. */
#define PACKAGE_TEXT_MAX 1024
#define PACKAGE_NOTE_MAX 4096

/* Further notes of a file, as of a program with a part that came with its own. */
#define PACKAGES_MAX 4

struct package {
	uint32_t origin;
	char *text[PACKAGE_TEXTS]; /* NULL for none */
};

/* The first is what the file is called for. */
struct packages {
	size_t count;
	size_t malformed; /* notes that are no JSON object with a name, or more than a file has */
	size_t tried;	  /* notes */
	struct package all[PACKAGES_MAX];
};

/*
 * False for a text that no package has: with a control character, no UTF-8, too long. An empty
 * one is none.
 */
bool package_set_text(struct package *package, enum package_text which, const char *text,
		      size_t size);
/* What a database says of a path is not of a file that is not there any more. */
void package_forget_version(struct package *package);
void package_free(struct package *package);

/* Add the package of a note; the bytes may end with any number of NULs. */
void packages_add_note(struct packages *packages, const char *note, size_t size);
void packages_free(struct packages *packages);

/* As a message, into @data of @size bytes: what fits; the bytes used. */
size_t packages_pack(const struct packages *packages, char *data, size_t size);
/* From that; false when it is none, or without memory. */
bool packages_unpack(struct packages *packages, const char *data, size_t size);

/**
 * struct package_wish - a package that is asked for
 * @name: a package's or its source's; may have wildcards as those of a shell
 * @version: likewise: with or without epoch and revision; NULL for any
 */
struct package_wish {
	char *name;
	const char *version;
};

enum package_match {
	PACKAGE_OTHER,
	PACKAGE_MATCHES,
	PACKAGE_VERSION_UNKNOWN, /* it has the name, and nobody knows the version */
};

/* NAME or NAME=VERSION, which is copied; false without memory. */
bool package_wish_parse(struct package_wish *wish, const char *text);
enum package_match packages_match(const struct packages *packages, const struct package_wish *wish);

/*
 * "NAME VERSION", with ", by dpkg" behind it for what is no note, between @before and @behind; to
 * be freed.
 */
char *package_label(const struct package *package, const char *before, const char *behind);
/* As CycloneDX has it, a package URL; to be freed, NULL when there is none for it. */
char *package_purl(const struct package *package);
/* "note", "dpkg", "apk", "pacman"; NULL for PACKAGE_NONE. */
const char *package_origin_name(uint32_t origin);

#endif
