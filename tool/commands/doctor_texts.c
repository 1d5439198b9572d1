// SPDX-License-Identifier: GPL-2.0
/* Doctor's texts: as the kernel has written them since 5.x, and may well add to them. */

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

/*
 * "... asymmetri SUBJECT: KEYID: X509.rsa ...". A subject may be "ORGANIZATION: NAME", and
 * the signer is the name alone.
 */
static bool is_key_of(const char *line, size_t size, const char *signer)
{
	const char *type = memmem(line, size, " asymmetri", strlen(" asymmetri"));
	const char *end = line + size, *found;
	size_t length = strlen(signer);

	while (type && (found = memmem(type, (size_t)(end - type), signer, length))) {
		if (found[-1] == ' ' && end - found > (ptrdiff_t)length && found[length] == ':')
			return true;
		type = found + 1;
	}
	return false;
}

enum enrolled keys_find(const char *text, const char *signer)
{
	size_t size;

	if (!strstr(text, ".builtin_trusted_keys"))
		return ENROLLED_HIDDEN;
	for (; *signer && *text; text += size + (text[size] == '\n')) {
		size = strcspn(text, "\n");
		if (is_key_of(text, size, signer))
			return ENROLLED_YES;
	}
	return ENROLLED_NO;
}

bool status_may_watch(const char *text)
{
	const char *line = strstr(text, "\nCapEff:");
	unsigned long long mask;

	return line && sscanf(line, "\nCapEff: %llx", &mask) == 1 &&
	       (mask >> CAP_SYS_ADMIN & 1 || mask >> CAP_PERFMON & 1);
}

bool uid_map_is_initial(const char *text)
{
	unsigned long long inside, outside, count;

	return sscanf(text, "%llu %llu %llu", &inside, &outside, &count) == 3 && !inside &&
	       !outside && count == UINT32_MAX;
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

bool perf_version_parse(const char *text, unsigned int *major, unsigned int *minor)
{
	return sscanf(text, "perf version %u.%u", major, minor) == 2;
}
