/* SPDX-License-Identifier: GPL-2.0 */
/* Doctor's texts: what files of the kernel and programs say, without looking at any. */
#ifndef TOOL_DOCTOR_TEXTS_H
#define TOOL_DOCTOR_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <buildid.h>

enum lockdown {
	LOCKDOWN_UNKNOWN,
	LOCKDOWN_ABSENT, /* the kernel does not have it */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
};

/* /sys/kernel/security/lockdown: "none [integrity] confidentiality". */
enum lockdown lockdown_parse(const char *text);

/* /proc/keys, of which users see different parts. */
enum enrolled {
	ENROLLED_HIDDEN, /* not even the keyring that each kernel has */
	ENROLLED_NO,
	ENROLLED_YES,
};

/* Whether the kernel has a certificate of that subject, without its organization. */
enum enrolled keys_find(const char *text, const char *subject);

/*
 * mokutil --list-enrolled: whether it has a certificate with that number, "1a:2b:3c". Another one
 * may have it if it is short, so that one is not looked for.
 */
bool enrolled_has(const char *text, const char *serial);

/* /proc/self/status: whether it has a capability that watching needs. */
bool status_may_watch(const char *text);

/* /proc/kallsyms: whether the kernel itself, and no module, has that function. */
bool kallsyms_has(const char *text, const char *function);

/*
 * STATS: whether a thread has been reading a file that it mapped for longer than a second, and
 * what is said of it.
 */
bool visits_held(const struct buildid_stats *stats, char *text, size_t size);

/* The bytes of @text for a line of so many columns: up to a blank, or to the end of a long word. */
size_t doctor_line(const char *text, size_t columns);

/* What perf --version prints. */
bool perf_version_parse(const char *text, unsigned int *major, unsigned int *minor);

#endif
