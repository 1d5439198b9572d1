// SPDX-License-Identifier: GPL-2.0
/* Doctor's texts: as the kernel has written them since 5.x, and may well add to them. */

#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "doctor_texts.h"

enum lockdown lockdown_parse(const char *text)
{
	static const struct {
		const char *word;
		enum lockdown lockdown;
	} words[] = {
		{ "[none]", LOCKDOWN_NONE },
		{ "[integrity]", LOCKDOWN_INTEGRITY },
		{ "[confidentiality]", LOCKDOWN_CONFIDENTIALITY },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(text, words[i].word))
			return words[i].lockdown;
	return LOCKDOWN_UNKNOWN;
}

/* What follows the number of a key, six more columns, and its type; or NULL. */
static const char *certificate_in(const char *line)
{
	static const char type[] = "asymmetri ";
	int column;

	for (column = 0; column < 7; column++) {
		line += strcspn(line, " \n");
		line += strspn(line, " ");
	}
	return strncmp(line, type, strlen(type)) ? NULL : line + strlen(type);
}

/* "SUBJECT: KEYID: X509.rsa ...". A subject may be "ORGANIZATION: NAME". */
static bool has_subject(const char *text, const char *end, const char *subject)
{
	size_t length = strlen(subject);
	const char *at = text;

	while ((at = memmem(at, (size_t)(end - at), subject, length))) {
		if (end - at > (ptrdiff_t)length && at[length] == ':' &&
		    (at == text || (at - text >= 2 && !strncmp(at - 2, ": ", 2))))
			return true;
		at++;
	}
	return false;
}

enum enrolled keys_find(const char *text, const char *subject)
{
	const char *certificate;
	size_t size;

	if (!strstr(text, ".builtin_trusted_keys"))
		return ENROLLED_HIDDEN;
	for (; *subject && *text; text += size + (text[size] == '\n')) {
		size = strcspn(text, "\n");
		certificate = certificate_in(text);
		if (certificate && has_subject(certificate, text + size, subject))
			return ENROLLED_YES;
	}
	return ENROLLED_NO;
}

/* Random numbers are of 16 bytes or more. */
#define SERIAL_MIN (16 * 3 - 1)

bool enrolled_has(const char *text, const char *serial)
{
	char lines[128];

	/* As openssl x509 -text prints it. */
	snprintf(lines, sizeof(lines), "Serial Number:\n%12s%s\n", "", serial);
	return strlen(serial) >= SERIAL_MIN && strstr(text, lines);
}

bool status_may_watch(const char *text)
{
	const char *line = strstr(text, "\nCapEff:");
	unsigned long long mask;

	return line && sscanf(line, "\nCapEff: %llx", &mask) == 1 &&
	       (mask >> CAP_SYS_ADMIN & 1 || mask >> CAP_PERFMON & 1);
}

bool kallsyms_has(const char *text, const char *function)
{
	size_t length = strlen(function);
	const char *found = text;

	/* "ffffffff81000000 T name", with a tab and the module's name for a module's. */
	for (; (found = strstr(found, function)); found++)
		if (found - text > 2 && found[-1] == ' ' && strchr("tTwW", found[-2]) &&
		    (found[length] == '\n' || !found[length]))
			return true;
	return false;
}

bool visits_held(const struct buildid_stats *stats, char *text, size_t size)
{
	uint64_t seconds = stats->oldest_visit_ns / 1000000000;
	char thread[32] = "a thread";

	if (!stats->visits || !seconds)
		return false;
	/* in a pid namespace it has no number */
	if (stats->oldest_visit_pid)
		snprintf(thread, sizeof(thread), "thread %" PRIu64,
			 (uint64_t)stats->oldest_visit_pid);
	snprintf(text, size,
		 "%s has been reading a file that it mapped for %" PRIu64
		 " s: rmmod says in use until it ends",
		 thread, seconds);
	return true;
}

size_t doctor_line(const char *text, size_t columns)
{
	size_t size = 0, word;

	if (strlen(text) <= columns)
		return strlen(text);
	for (;;) {
		word = strcspn(text + size + 1, " ") + 1;
		if (size && size + word > columns)
			return size;
		size += word;
		if (!text[size] || size > columns)
			return size;
	}
}

bool perf_version_parse(const char *text, unsigned int *major, unsigned int *minor)
{
	return sscanf(text, "perf version %u.%u", major, minor) == 2;
}
