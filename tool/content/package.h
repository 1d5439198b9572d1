/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Package: which distribution package a file belongs to, by a note in the file
 * (systemd.io/ELF_PACKAGE_METADATA), or by the distribution's database for its path. The first
 * belongs to the content; the second at best applies to what is at the path now.
 */
#ifndef TOOL_PACKAGE_H
#define TOOL_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The texts known about a package. In a note, the name is that of the source package. */
enum package_text {
	PACKAGE_TYPE, /* deb, rpm ... */
	PACKAGE_OS,   /* ID of os-release, with the next one its VERSION_ID */
	PACKAGE_OS_VERSION,
	PACKAGE_NAME,
	PACKAGE_VERSION,
	PACKAGE_ARCHITECTURE,
	PACKAGE_OS_CPE,
	PACKAGE_DEBUG_INFO_URL,
	PACKAGE_SOURCE, /* from a database, if it has another name or version */
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

/* Longer texts are refused. */
#define PACKAGE_TEXT_MAX 1024
#define PACKAGE_NOTE_MAX 4096

/* Further notes of a file, from parts that came with their own. */
#define PACKAGES_MAX 4

struct package {
	uint32_t origin;
	char *text[PACKAGE_TEXTS]; /* NULL for none */
};

/* The first names the file's package. */
struct packages {
	size_t count;
	size_t malformed; /* notes that are not a JSON object with a name, or too many */
	size_t tried;	  /* notes */
	struct package all[PACKAGES_MAX];
};

/*
 * False for an invalid text: with control characters, not UTF-8, or too long. Empty means none.
 */
bool package_set_text(struct package *package, enum package_text which, const char *text,
		      size_t size);
/* A database's answer for a path does not apply to a file that is not there any more. */
void package_forget_version(struct package *package);
void package_free(struct package *package);

/* Add the package of a note; the bytes may end with any number of NULs. */
void packages_add_note(struct packages *packages, const char *note, size_t size);
void packages_free(struct packages *packages);

/* Serialize into @data of @size bytes as much as fits; returns the bytes used. */
size_t packages_pack(const struct packages *packages, char *data, size_t size);
/* Parse that; false if it is malformed, or without memory. */
bool packages_unpack(struct packages *packages, const char *data, size_t size);

/**
 * struct package_wish - a package to search for
 * @name: a package's or its source's; may have wildcards as those of a shell
 * @version: may have wildcards; with or without epoch and revision; NULL for any
 */
struct package_wish {
	char *name;
	const char *version;
};

enum package_match {
	PACKAGE_OTHER,
	PACKAGE_MATCHES,
	PACKAGE_VERSION_UNKNOWN, /* the name matches, but the version is unknown */
};

/* NAME or NAME=VERSION, which is copied; false without memory. */
bool package_wish_parse(struct package_wish *wish, const char *text);
enum package_match packages_match(const struct packages *packages, const struct package_wish *wish);

/*
 * "NAME VERSION", followed by ", by dpkg" unless from a note, between @before and @behind; the
 * caller frees it.
 */
char *package_label(const struct package *package, const char *before, const char *behind);
/* A package URL, as in CycloneDX; the caller frees it. NULL if there is none for it. */
char *package_purl(const struct package *package);
/* "note", "dpkg", "apk", "pacman"; NULL for PACKAGE_NONE. */
const char *package_origin_name(uint32_t origin);

#endif
