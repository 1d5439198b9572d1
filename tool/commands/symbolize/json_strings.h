/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON strings: those of one line of JSON, with what the line says about their process. The line
 * may be part of an object that is printed over several lines.
 */
#ifndef TOOL_JSON_STRINGS_H
#define TOOL_JSON_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_string {
	const char *at, *end; /* without the quotes */
	uint64_t number;      /* the only one that its array or the key above it has, or 0 */
	bool in_array;
	bool is_first; /* there */
};

struct json_strings {
	struct json_string *strings;
	size_t count;
	bool whole;	/* the line begins an object of its own */
	uint64_t pid;	/* of the outermost "pid" or "tgid", 0 for none */
	bool ambiguous; /* there were several */
	/* The last one decoded: its bytes, and where each begins in the string; one more. */
	char *plain;
	size_t *places;
	size_t size, room;
};

/* False if the line is not JSON with strings; @failed is set without memory. */
bool json_strings_read(struct json_strings *json, const char *line, const char *end, bool *failed);
/* False only without memory. */
bool json_string_decode(struct json_strings *json, const struct json_string *string);
void json_strings_free(struct json_strings *json);

#endif
