// SPDX-License-Identifier: GPL-2.0
/*
 * JSON strings: json-c does not tell where in the line a string is, and names are inserted into
 * that line.
 */

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hex.h"
#include "json_strings.h"
#include "stack_words.h"

/* A line with deeper nesting counts as text. */
#define DEPTH_MAX 64

struct container {
	bool array;
	bool pid;	  /* the last key says what its value is */
	uint64_t key;	  /* the only number in the last key, or 0 */
	uint32_t numbers; /* so far, of an array */
	uint64_t number;
	uint32_t strings;
};

struct reader {
	struct json_strings *json;
	const char *at, *end;
	struct container containers[DEPTH_MAX];
	size_t depth;
	size_t pid_depth;
	bool failed;
};

static struct container *innermost(struct reader *reader)
{
	return &reader->containers[reader->depth];
}

static void skip_blanks(struct reader *reader)
{
	while (reader->at < reader->end && is_blank(*reader->at) && *reader->at)
		reader->at++;
}

/* The only number among the words. */
static uint64_t only_number(const char *at, const char *end)
{
	struct word word = word_next(at, end, SEPARATORS "\\");
	uint64_t value, found = 0;
	unsigned int count = 0;

	for (; word.length && count < 2; word = word_next(word_end(word), end, SEPARATORS "\\"))
		if (word_is_decimal(word, &value) && (word.length == 1 || *word.at != '0')) {
			count++;
			found = value;
		}
	return count == 1 ? found : 0;
}

static void found_pid(struct reader *reader, uint64_t pid)
{
	struct json_strings *json = reader->json;

	if (json->pid && reader->depth > reader->pid_depth)
		return;
	json->ambiguous = json->pid && reader->depth == reader->pid_depth && json->pid != pid;
	json->pid = pid;
	reader->pid_depth = reader->depth;
}

static void found_number(struct reader *reader, uint64_t number)
{
	struct container *in = innermost(reader);

	if (in->array) {
		in->numbers++;
		in->number = number;
	} else if (in->pid && number) {
		found_pid(reader, number);
	}
}

/* What is around a string. */
static uint64_t number_around(const struct reader *reader)
{
	size_t i;

	for (i = reader->depth + 1; i-- > 0;) {
		const struct container *in = &reader->containers[i];

		if (in->array && in->numbers)
			return in->numbers == 1 ? in->number : 0;
		if (!in->array && in->key)
			return in->key;
	}
	return 0;
}

static bool json_strings_add(struct reader *reader, const char *at, const char *end)
{
	struct json_strings *json = reader->json;
	struct container *in = innermost(reader);

	if (!array_reserve(json->strings, json->count)) {
		reader->failed = true;
		return false;
	}
	json->strings[json->count++] = (struct json_string){
		.at = at,
		.end = end,
		.number = number_around(reader),
		.in_array = in->array,
		.is_first = !in->strings++,
	};
	return true;
}

static void found_key(struct reader *reader, const char *at, const char *end)
{
	struct container *in = innermost(reader);
	struct word key = { at, (size_t)(end - at) };

	in->pid = word_is_one_of(key, "pid tgid");
	in->key = only_number(at, end);
}

/* After the opening quote. */
static bool read_string(struct reader *reader)
{
	const char *at = ++reader->at, *end;
	struct container *in = innermost(reader);
	uint64_t number;

	while (reader->at < reader->end && *reader->at != '"' && (unsigned char)*reader->at >= ' ')
		reader->at += 1 + (*reader->at == '\\');
	if (reader->at >= reader->end || *reader->at != '"')
		return false;
	end = reader->at++;
	skip_blanks(reader);
	if (reader->at < reader->end && *reader->at == ':' && !in->array) {
		in->key = 0;
		if (!json_strings_add(reader, at, end))
			return false;
		found_key(reader, at, end);
		return true;
	}
	if (word_is_decimal((struct word){ at, (size_t)(end - at) }, &number))
		found_number(reader, number);
	return json_strings_add(reader, at, end);
}

static bool read_scalar(struct reader *reader)
{
	struct word word = word_next(reader->at, reader->end, BLANKS ",]}");
	uint64_t number;
	size_t i;

	if (word.at != reader->at || !word.length)
		return false;
	reader->at = word_end(word);
	if (word_is_decimal(word, &number))
		found_number(reader, number);
	if (word_is_one_of(word, "true false null"))
		return true;
	for (i = 0; i < word.length; i++)
		if (!strchr("0123456789+-.eE", word.at[i]))
			return false;
	return true;
}

static bool read_token(struct reader *reader)
{
	switch (*reader->at) {
	case '{':
	case '[':
		if (++reader->depth == DEPTH_MAX)
			return false;
		*innermost(reader) = (struct container){ .array = *reader->at++ == '[' };
		return true;
	case '}':
	case ']':
		reader->depth -= reader->depth > 0;
		reader->at++;
		return true;
	case ',':
	case ':':
		reader->at++;
		return true;
	case '"':
		return read_string(reader);
	default:
		return read_scalar(reader);
	}
}

bool json_strings_read(struct json_strings *json, const char *line, const char *end, bool *failed)
{
	struct reader reader; /* not all of its containers are set each time */
	bool good = true;

	reader.json = json;
	reader.at = line;
	reader.end = end;
	reader.containers[0] = (struct container){};
	reader.depth = reader.pid_depth = 0;
	reader.failed = false;
	json->count = 0;
	json->pid = 0;
	json->ambiguous = false;
	skip_blanks(&reader);
	if (reader.at == end || !strchr("{[\"}]", *reader.at))
		return false;
	json->whole = *reader.at == '{' || *reader.at == '[';
	while (good && reader.at < end) {
		good = read_token(&reader);
		skip_blanks(&reader);
	}
	*failed = reader.failed;
	return good && json->count;
}

/* -------------------------------------------------------------- decoding -- */

/* Only escapes that may separate words matter; others stand for themselves. */
static char json_strings_unescape(char escaped)
{
	switch (escaped) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case 'b':
	case 'f':
		return ' ';
	default:
		return escaped;
	}
}

/* "\u003c" and the like, one byte; nothing else is part of an address. */
static char unescape_number(const char *digits)
{
	unsigned int code = 0;
	size_t i;

	for (i = 0; i < 4; i++)
		code = code << 4 | (unsigned int)(hex_digit(digits[i]) & 15);
	return code && code < 128 ? (char)code : '?';
}

static bool make_room(struct json_strings *json, size_t size)
{
	char *plain;
	size_t *places;

	if (size <= json->room)
		return true;
	plain = realloc(json->plain, size);
	if (plain)
		json->plain = plain;
	places = realloc(json->places, (size + 1) * sizeof(*places));
	if (places)
		json->places = places;
	if (!plain || !places)
		return false;
	json->room = size;
	return true;
}

bool json_string_decode(struct json_strings *json, const struct json_string *string)
{
	const char *at = string->at;

	if (!make_room(json, (size_t)(string->end - at)))
		return false;
	json->size = 0;
	while (at < string->end) {
		json->places[json->size] = (size_t)(at - string->at);
		if (*at != '\\') {
			json->plain[json->size++] = *at++;
		} else if (at[1] == 'u' && string->end - at >= 6) {
			json->plain[json->size++] = unescape_number(at + 2);
			at += 6;
		} else {
			json->plain[json->size++] = json_strings_unescape(at[1]);
			at += 2;
		}
	}
	if (json->places)
		json->places[json->size] = (size_t)(string->end - string->at);
	return true;
}

void json_strings_free(struct json_strings *json)
{
	free(json->strings);
	free(json->plain);
	free(json->places);
}
