// SPDX-License-Identifier: GPL-2.0
/* Package: notes are untrusted JSON, and parsed strictly. */

#include <fnmatch.h>
#include <json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/utf8.h"
#include "package.h"

/* Values are scalars; a vendor's own keys may have more. */
#define DEPTH_MAX 32
#define NOTE_MAX  (64U << 10)
/* For one file, which could have a million. */
#define NOTES_MAX 64

static const char *const keys[PACKAGE_TEXTS] = {
	[PACKAGE_TYPE] = "type",
	[PACKAGE_OS] = "os",
	[PACKAGE_OS_VERSION] = "osVersion",
	[PACKAGE_NAME] = "name",
	[PACKAGE_VERSION] = "version",
	[PACKAGE_ARCHITECTURE] = "architecture",
	[PACKAGE_OS_CPE] = "osCpe",
	[PACKAGE_DEBUG_INFO_URL] = "debugInfoUrl",
};

void package_free(struct package *package)
{
	size_t i;

	for (i = 0; i < PACKAGE_TEXTS; i++)
		free(package->text[i]);
	*package = (struct package){};
}

void package_forget_version(struct package *package)
{
	static const enum package_text texts[] = { PACKAGE_VERSION, PACKAGE_SOURCE_VERSION };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		free(package->text[texts[i]]);
		package->text[texts[i]] = NULL;
	}
}

void packages_free(struct packages *packages)
{
	size_t i;

	for (i = 0; i < packages->count; i++)
		package_free(&packages->all[i]);
	*packages = (struct packages){};
}

/* ----------------------------------------------------------------- notes -- */

/* Refuse text that could forge a line of output, or end early. */
static bool is_text(const char *text, size_t size)
{
	uint32_t code;
	size_t length;

	if (strlen(text) != size || size > PACKAGE_TEXT_MAX)
		return false;
	while (*text) {
		length = utf8_decode(text, &code);
		if (!length || utf8_is_control(code))
			return false;
		text += length;
	}
	return true;
}

bool package_set_text(struct package *package, enum package_text which, const char *text,
		      size_t size)
{
	char *copy = strndup(text, size);

	if (!copy || !is_text(copy, size)) {
		free(copy);
		return false;
	}
	if (!*copy) {
		free(copy);
		return true;
	}
	free(package->text[which]);
	package->text[which] = copy;
	return true;
}

/* False for an invalid value; anything but a scalar belongs to a vendor's extension. */
static bool take_value(struct package *package, enum package_text which, struct json_object *object)
{
	struct json_object *value;
	const char *string;

	if (!json_object_object_get_ex(object, keys[which], &value) || !value ||
	    json_object_is_type(value, json_type_object) ||
	    json_object_is_type(value, json_type_array))
		return true;
	string = json_object_get_string(value);
	return package_set_text(package, which, string,
				json_object_is_type(value, json_type_string) ?
					(size_t)json_object_get_string_len(value) :
					strlen(string));
}

static bool take_object(struct package *package, struct json_object *object)
{
	unsigned int i;

	if (!json_object_is_type(object, json_type_object))
		return false;
	for (i = 0; i < PACKAGE_TEXTS; i++)
		if (keys[i] && !take_value(package, i, object))
			return false;
	return package->text[PACKAGE_NAME];
}

static bool package_parse(struct package *package, const char *note, size_t size)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
	struct json_object *object = NULL;
	bool good = false;

	*package = (struct package){ .origin = PACKAGE_BY_NOTE };
	if (tokener) {
		json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
		object = json_tokener_parse_ex(tokener, note, (int)size + 1);
		good = json_tokener_get_error(tokener) == json_tokener_success &&
		       take_object(package, object);
		json_tokener_free(tokener);
	}
	json_object_put(object);
	if (good && size <= PACKAGE_NOTE_MAX)
		package->text[PACKAGE_NOTE] = strdup(note);
	if (!good)
		package_free(package);
	return good;
}

static bool same_text(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

static bool is_known(const struct packages *packages, const struct package *package)
{
	size_t i;

	for (i = 0; i < packages->count; i++)
		if (same_text(packages->all[i].text[PACKAGE_NAME], package->text[PACKAGE_NAME]) &&
		    same_text(packages->all[i].text[PACKAGE_VERSION],
			      package->text[PACKAGE_VERSION]))
			return true;
	return false;
}

void packages_add_note(struct packages *packages, const char *note, size_t size)
{
	struct package package;
	char *text;

	size = strnlen(note, size);
	text = size <= NOTE_MAX && packages->tried++ < NOTES_MAX ? strndup(note, size) : NULL;
	if (!text || !package_parse(&package, text, size))
		packages->malformed++;
	else if (packages->count < PACKAGES_MAX && !is_known(packages, &package))
		packages->all[packages->count++] = package;
	else
		package_free(&package);
	free(text);
}

/* --------------------------------------------------------------- message -- */

struct packed {
	uint32_t count;
	uint32_t malformed;
};

static bool put_text(char **to, const char *end, const char *text)
{
	size_t size = strlen(text) + 1;

	if (size > (size_t)(end - *to))
		return false;
	memcpy(*to, text, size);
	*to += size;
	return true;
}

static bool put_package(char **to, const char *end, const struct package *package)
{
	char *at = *to;
	size_t i;

	if ((size_t)(end - at) < sizeof(package->origin))
		return false;
	memcpy(at, &package->origin, sizeof(package->origin));
	at += sizeof(package->origin);
	for (i = 0; i < PACKAGE_TEXTS; i++)
		if (!put_text(&at, end, package->text[i] ? package->text[i] : ""))
			return false;
	*to = at;
	return true;
}

size_t packages_pack(const struct packages *packages, char *data, size_t size)
{
	struct packed packed = { .malformed = (uint32_t)packages->malformed };
	char *at = data + sizeof(packed);

	if (size < sizeof(packed))
		return 0;
	while (packed.count < packages->count &&
	       put_package(&at, data + size, &packages->all[packed.count]))
		packed.count++;
	memcpy(data, &packed, sizeof(packed));
	return (size_t)(at - data);
}

static bool get_package(struct package *package, const char **from, const char *end)
{
	const char *at = *from;
	size_t i, size;

	*package = (struct package){};
	if ((size_t)(end - at) < sizeof(package->origin))
		return false;
	memcpy(&package->origin, at, sizeof(package->origin));
	at += sizeof(package->origin);
	for (i = 0; i < PACKAGE_TEXTS; i++) {
		size = strnlen(at, (size_t)(end - at));
		if (size == (size_t)(end - at))
			return false;
		package->text[i] = size ? strdup(at) : NULL;
		at += size + 1;
	}
	*from = at;
	return true;
}

bool packages_unpack(struct packages *packages, const char *data, size_t size)
{
	const char *at = data + sizeof(struct packed);
	struct packed packed;

	*packages = (struct packages){};
	if (size < sizeof(packed))
		return false;
	memcpy(&packed, data, sizeof(packed));
	packages->malformed = packed.malformed;
	while (packages->count < packed.count && packages->count < PACKAGES_MAX)
		if (!get_package(&packages->all[packages->count++], &at, data + size)) {
			packages_free(packages);
			return false;
		}
	return true;
}

/* ----------------------------------------------------------------- wishes -- */

bool package_wish_parse(struct package_wish *wish, const char *text)
{
	char *equals;

	*wish = (struct package_wish){ .name = strdup(text) };
	if (!wish->name)
		return false;
	equals = strchr(wish->name, '=');
	if (equals) {
		*equals = '\0';
		wish->version = equals + 1;
	}
	return true;
}

static bool like(const char *pattern, const char *text)
{
	return !fnmatch(pattern, text, 0);
}

/* "1:3.0.11-1~deb12u2" matches in full, without the epoch, and as "3.0.11". */
static bool version_is(const char *wanted, const char *version)
{
	size_t digits = strspn(version, "0123456789");
	const char *upstream = digits && version[digits] == ':' ? version + digits + 1 : version;
	const char *revision = strrchr(upstream, '-');
	bool found = like(wanted, version) || like(wanted, upstream);
	char *cut;

	if (found || !revision)
		return found;
	cut = strndup(upstream, (size_t)(revision - upstream));
	found = cut && like(wanted, cut);
	free(cut);
	return found;
}

static enum package_match match(const struct package_wish *wish, const char *name,
				const char *version)
{
	if (!name || !like(wish->name, name))
		return PACKAGE_OTHER;
	if (!wish->version)
		return PACKAGE_MATCHES;
	if (!version)
		return PACKAGE_VERSION_UNKNOWN;
	return version_is(wish->version, version) ? PACKAGE_MATCHES : PACKAGE_OTHER;
}

static enum package_match match_package(const struct package_wish *wish,
					const struct package *package)
{
	const char *version = package->text[PACKAGE_VERSION];
	const char *source = package->text[PACKAGE_SOURCE_VERSION];
	enum package_match found = match(wish, package->text[PACKAGE_NAME], version);

	if (found == PACKAGE_OTHER)
		found = match(wish, package->text[PACKAGE_SOURCE], source ? source : version);
	return found;
}

enum package_match packages_match(const struct packages *packages, const struct package_wish *wish)
{
	enum package_match found = PACKAGE_OTHER;
	size_t i;

	for (i = 0; i < packages->count && found != PACKAGE_MATCHES; i++) {
		enum package_match next = match_package(wish, &packages->all[i]);

		if (next != PACKAGE_OTHER)
			found = next;
	}
	return found;
}

/* ---------------------------------------------------------------- output -- */

const char *package_origin_name(uint32_t origin)
{
	static const char *const names[] = {
		[PACKAGE_NONE] = NULL,		[PACKAGE_BY_NOTE] = "note",
		[PACKAGE_BY_DPKG] = "dpkg",	[PACKAGE_BY_APK] = "apk",
		[PACKAGE_BY_PACMAN] = "pacman",
	};

	return origin < ARRAY_SIZE(names) ? names[origin] : NULL;
}

/* Not by printf(3), for speed: each output line has one. */
char *package_label(const struct package *package, const char *before, const char *behind)
{
	const char *version = package->text[PACKAGE_VERSION];
	bool note = package->origin == PACKAGE_BY_NOTE;
	const char *const parts[] = {
		before,
		package->text[PACKAGE_NAME],
		version ? " " : "",
		version ? version : "",
		note ? "" : ", by ",
		note ? "" : package_origin_name(package->origin),
		behind,
	};
	size_t size = 1, i;
	char *label, *end;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		size += strlen(parts[i]);
	label = malloc(size);
	for (end = label, i = 0; label && i < ARRAY_SIZE(parts); i++)
		end = stpcpy(end, parts[i]);
	return label;
}

/* For a package URL: percent-encode everything that is not unreserved. */
static void put_encoded(FILE *file, const char *before, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~";

	fputs(before, file);
	for (; *text; text++) {
		if (strchr(plain, *text))
			fputc(*text, file);
		else
			fprintf(file, "%%%02X", (unsigned char)*text);
	}
}

/* "?" for the first, then "&". */
static void put_qualifier(FILE *file, bool *some, const char *key, const char *value)
{
	fputs(*some ? "&" : "?", file);
	*some = true;
	fputs(key, file);
	put_encoded(file, "=", value);
}

/* In an rpm URL the epoch is a qualifier; Debian's stays in the version. */
static const char *without_epoch(const struct package *package, const char **epoch, char digits[16])
{
	const char *version = package->text[PACKAGE_VERSION];
	size_t size = version ? strspn(version, "0123456789") : 0;

	*epoch = NULL;
	if (strcmp(package->text[PACKAGE_TYPE], "rpm") || !size || size > 15 ||
	    version[size] != ':')
		return version;
	memcpy(digits, version, size);
	digits[size] = '\0';
	*epoch = digits;
	return version + size + 1;
}

/* Field @index after "cpe:/o:" or "cpe:2.3:o:", 0 for the vendor; "" if missing. */
static void copy_of_cpe(char text[PACKAGE_TEXT_MAX], const char *cpe, unsigned int index)
{
	const char *at = strstr(cpe, "o:");
	size_t size;

	*text = '\0';
	for (at = at ? at + 1 : NULL; at && index; index--)
		at = strchr(at + 1, ':');
	if (!at)
		return;
	size = strcspn(at + 1, ":");
	if (size < PACKAGE_TEXT_MAX)
		memcpy(text, at + 1, size);
	text[size < PACKAGE_TEXT_MAX ? size : 0] = '\0';
}

/* Fedora's notes name the system only by its CPE. */
static const char *system_text(const struct package *package, enum package_text which,
			       unsigned int index, char text[PACKAGE_TEXT_MAX])
{
	if (package->text[which])
		return package->text[which];
	if (!package->text[PACKAGE_OS_CPE])
		return NULL;
	copy_of_cpe(text, package->text[PACKAGE_OS_CPE], index);
	return *text ? text : NULL;
}

static void put_purl(FILE *file, const struct package *package)
{
	char os_text[PACKAGE_TEXT_MAX], version_text[PACKAGE_TEXT_MAX];
	const char *os = system_text(package, PACKAGE_OS, 1, os_text);
	const char *os_version = system_text(package, PACKAGE_OS_VERSION, 2, version_text);
	const char *architecture = package->text[PACKAGE_ARCHITECTURE];
	const char *version, *epoch;
	char digits[16], *distro;
	bool some = false;

	version = without_epoch(package, &epoch, digits);
	put_encoded(file, "pkg:", package->text[PACKAGE_TYPE]);
	if (os)
		put_encoded(file, "/", os);
	put_encoded(file, "/", package->text[PACKAGE_NAME]);
	if (version)
		put_encoded(file, "@", version);
	if (architecture)
		put_qualifier(file, &some, "arch", architecture);
	if (os && os_version && asprintf(&distro, "%s-%s", os, os_version) >= 0) {
		put_qualifier(file, &some, "distro", distro);
		free(distro);
	}
	if (epoch)
		put_qualifier(file, &some, "epoch", epoch);
}

char *package_purl(const struct package *package)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file;

	if (!package->text[PACKAGE_TYPE] || !package->text[PACKAGE_NAME])
		return NULL;
	file = open_memstream(&text, &size);
	if (!file)
		return NULL;
	put_purl(file, package);
	if (!fclose(file))
		return text;
	free(text);
	return NULL;
}
