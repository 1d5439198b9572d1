// SPDX-License-Identifier: GPL-2.0
/* Print package: texts of packages are without control characters, as content/package.h has them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print_package.h"

static const struct package *first(const struct packages *packages)
{
	return packages && packages->count ? &packages->all[0] : NULL;
}

/* ------------------------------------------------------------------ JSON -- */

static void print_package_put(struct output *out, const char *prefix, const char *name,
			      const char *value)
{
	char key[64];

	snprintf(key, sizeof(key), "%s%s", prefix, name);
	out_string(out, key, OUT_HIDDEN, value);
}

/* Further notes in the same file. */
static void put_others(struct output *out, const char *prefix, const struct packages *packages)
{
	const char *words[PACKAGES_MAX + 1];
	char *labels[PACKAGES_MAX], key[64];
	size_t i, count = 0;

	for (i = 1; i < packages->count; i++) {
		labels[count] = package_label(&packages->all[i], "", "");
		if (labels[count])
			words[count] = labels[count], count++;
	}
	words[count] = NULL;
	snprintf(key, sizeof(key), "%sother_packages", prefix);
	if (count)
		out_words(out, key, OUT_HIDDEN, words);
	while (count)
		free(labels[--count]);
}

void print_package(struct output *out, const char *prefix, const struct packages *packages)
{
	static const char *const names[PACKAGE_TEXTS] = {
		[PACKAGE_TYPE] = "package_type",
		[PACKAGE_OS] = "package_os",
		[PACKAGE_OS_VERSION] = "package_os_version",
		[PACKAGE_ARCHITECTURE] = "package_architecture",
		[PACKAGE_OS_CPE] = "package_os_cpe",
		[PACKAGE_DEBUG_INFO_URL] = "package_debug_info_url",
		[PACKAGE_SOURCE] = "package_source",
		[PACKAGE_SOURCE_VERSION] = "package_source_version",
		[PACKAGE_NOTE] = "package_note",
	};
	const struct package *package = first(packages);
	char *purl;
	size_t i;

	if (!out->json)
		return;
	purl = package ? package_purl(package) : NULL;
	print_package_put(out, prefix, "package", package ? package->text[PACKAGE_NAME] : NULL);
	print_package_put(out, prefix, "package_version",
			  package ? package->text[PACKAGE_VERSION] : NULL);
	print_package_put(out, prefix, "package_from",
			  package ? package_origin_name(package->origin) : NULL);
	print_package_put(out, prefix, "purl", purl);
	free(purl);
	for (i = 0; package && i < PACKAGE_TEXTS; i++)
		if (names[i] && package->text[i])
			print_package_put(out, prefix, names[i], package->text[i]);
	if (package)
		put_others(out, prefix, packages);
}

/* ------------------------------------------------------------------ text -- */

static bool same_name(const struct package *one, const struct package *other)
{
	return !strcmp(one->text[PACKAGE_NAME], other->text[PACKAGE_NAME]);
}

static char *label_of(const struct package *package)
{
	return package ? package_label(package, "", "") : strdup("?");
}

static char *change_text(const struct package *package, const struct package *now)
{
	char *before = label_of(package), *after = label_of(now), *text = NULL;
	const char *skipped = after;

	/* the name only once, and the origin */
	if (before && package && now && package->origin == now->origin &&
	    package->origin != PACKAGE_BY_NOTE)
		*strrchr(before, ',') = '\0';
	if (after && package && now && same_name(package, now) && now->text[PACKAGE_VERSION])
		skipped += strlen(now->text[PACKAGE_NAME]) + 1;
	if (!before || !after || asprintf(&text, "(%s -> %s)", before, skipped) < 0)
		text = NULL;
	free(before);
	free(after);
	return text;
}

char *package_tail(const struct packages *packages, const struct packages *now)
{
	const struct package *package = first(packages), *after = first(now);

	if (after)
		return change_text(package, after);
	return package ? package_label(package, "(", ")") : NULL;
}
