// SPDX-License-Identifier: GPL-2.0
/*
 * Output: the only file that knows json-c.
 *
 * Names come from files and processes of any user: what would move the cursor is escaped in
 * text, what is not UTF-8 replaced in JSON.
 */

#include <json-c/json.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "output.h"
#include "utf8.h"

#define JSON_STYLE (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
#define PAIR_WIDTH 17

static bool wants_colour(FILE *file)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no_color && *no_color)
		return false;
	if (!term || !strcmp(term, "dumb"))
		return false;
	return isatty(fileno(file));
}

void out_init(struct output *out, FILE *file, bool json)
{
	*out = (struct output){
		.file = file,
		.json = json,
		.colour = !json && wants_colour(file),
	};
}

int out_fit(struct output *out, bool full)
{
	int rows = 0;

	out->width = out->json ? 0 : columns_of_terminal(out->file, &rows);
	if (out->width && full)
		out->width = OUT_ENDLESS;
	return rows;
}

static void out_of_memory(void)
{
	fputs("buildid: out of memory\n", stderr);
	exit(EXIT_FAILURE);
}

void out_begin(struct output *out)
{
	out->started = false;
	out->columns = 0;
	if (!out->json)
		return;
	out->object = json_object_new_object();
	if (!out->object)
		out_of_memory();
}

/* json-c leaves controls of more than one byte, and DEL, to the terminal. */
static void put_json(FILE *file, const char *json)
{
	uint32_t code;
	size_t length;

	while (*json) {
		code = (unsigned char)*json;
		length = utf8_decode(json, &code);
		if (utf8_is_control(code))
			fprintf(file, "\\u%04x", code);
		else
			fwrite(json, 1, length ? length : 1, file);
		json += length ? length : 1;
	}
}

void out_end(struct output *out)
{
	if (out->json) {
		put_json(out->file, json_object_to_json_string_ext(out->object, JSON_STYLE));
		json_object_put(out->object);
		out->object = NULL;
	}
	if (out->json || out->started)
		fputc('\n', out->file);
}

/* ----------------------------------------------------------------- JSON -- */

/* Takes over @value, which json-c writes as null when it is NULL. */
static void add(struct output *out, const char *key, struct json_object *value)
{
	if (!key)
		json_object_put(value);
	else if (json_object_object_add(out->object, key, value))
		out_of_memory();
}

static struct json_object *json_string(const char *value)
{
	char *repaired = utf8_repair(value);
	struct json_object *string;

	string = repaired ? json_object_new_string(repaired) : NULL;
	free(repaired);
	if (!string)
		out_of_memory();
	return string;
}

static struct json_object *json_words(const char *const *words)
{
	struct json_object *list = json_object_new_array();

	if (!list)
		out_of_memory();
	for (; *words; words++)
		if (json_object_array_add(list, json_string(*words)))
			out_of_memory();
	return list;
}

/* ----------------------------------------------------------------- text -- */

/*
 * A name may hold what moves the cursor, or a newline. As /proc/PID/maps does
 * it: such bytes in octal, all others, UTF-8 or not, as they are. A byte that
 * is no character is what it is to a terminal that is not set to UTF-8.
 */
static int put_character(FILE *file, const char **text)
{
	uint32_t code = (unsigned char)**text;
	size_t length = utf8_decode(*text, &code);
	bool control = utf8_is_control(code);
	int columns = !control;

	for (length += !length; length; length--, (*text)++)
		if (control)
			columns += fprintf(file, "\\%03o", (unsigned char)**text);
		else
			fputc(**text, file);
	return columns;
}

/* Most of it are bytes that are a column each. */
static int put_text(FILE *file, const char *text)
{
	int columns = 0;

	while (*text) {
		const char *end = text;

		while (*end >= ' ' && *end <= '~')
			end++;
		fwrite(text, 1, (size_t)(end - text), file);
		columns += (int)(end - text);
		text = end;
		if (*text)
			columns += put_character(file, &text);
	}
	return columns;
}

static const char *escape_of(const struct output *out, enum out_style style)
{
	static const char *const escapes[] = {
		[OUT_GOOD] = "\033[32m",
		[OUT_WEAK] = "\033[33m",
		[OUT_BAD] = "\033[1;31m",
	};

	return out->colour && style != OUT_PLAIN ? escapes[style] : NULL;
}

static void separate(struct output *out)
{
	if (out->started) {
		fputc(' ', out->file);
		out->columns++;
	}
	out->started = true;
}

/* False for what only JSON has. */
static bool begin_column(struct output *out, int width)
{
	if (width != OUT_HIDDEN)
		separate(out);
	return width != OUT_HIDDEN;
}

static void put_column(struct output *out, enum out_style style, int width, const char *value)
{
	const char *escape = escape_of(out, style);
	int columns;

	if (escape)
		fputs(escape, out->file);
	columns = put_text(out->file, value);
	if (escape)
		fputs("\033[0m", out->file);
	if (columns < width) {
		fprintf(out->file, "%*s", width - columns, "");
		columns = width;
	}
	out->columns += columns;
}

/* --------------------------------------------------------------- fields -- */

void out_styled(struct output *out, enum out_style style, const char *key, int width,
		const char *value)
{
	if (out->json)
		add(out, key, value ? json_string(value) : NULL);
	else if (begin_column(out, width))
		put_column(out, style, width, value ? value : "-");
}

void out_fitted(struct output *out, enum out_style style, const char *key, int width,
		const char *value)
{
	const char *escape;
	char *fitted;
	int columns;

	if (out->json || !out->width || width == OUT_HIDDEN) {
		out_styled(out, style, key, width, value);
		return;
	}
	fitted = columns_fit(value ? value : "-", width);
	if (!fitted)
		out_of_memory();
	separate(out);
	escape = escape_of(out, style);
	columns = columns_of(fitted);
	fprintf(out->file, "%s%s%s%*s", escape ? escape : "", fitted, escape ? "\033[0m" : "",
		columns < width ? width - columns : 0, "");
	out->columns += columns < width ? width : columns;
	free(fitted);
}

int out_room(const struct output *out)
{
	return out->width ? out->width - out->columns - out->started : OUT_ENDLESS;
}

void out_string(struct output *out, const char *key, int width, const char *value)
{
	out_styled(out, OUT_PLAIN, key, width, value);
}

void out_number(struct output *out, const char *key, int width, uint64_t value)
{
	if (out->json)
		add(out, key, json_object_new_uint64(value));
	else if (begin_column(out, width))
		out->columns += fprintf(out->file, "%*" PRIu64, width, value);
}

void out_signed(struct output *out, const char *key, int width, int64_t value)
{
	if (out->json)
		add(out, key, json_object_new_int64(value));
	else if (begin_column(out, width))
		out->columns += fprintf(out->file, "%*" PRId64, width, value);
}

void out_address(struct output *out, const char *key, int width, uint64_t value)
{
	if (out->json)
		out_number(out, key, width, value);
	else if (begin_column(out, width))
		out->columns += fprintf(out->file, "%*" PRIx64, width, value);
}

void out_null(struct output *out, const char *key)
{
	out_string(out, key, OUT_HIDDEN, NULL);
}

void out_words(struct output *out, const char *key, int width, const char *const *words)
{
	if (out->json)
		add(out, key, json_words(words));
	else
		for (; *words && begin_column(out, width); words++)
			out->columns += fprintf(out->file, "(%s)", *words);
}

void out_list(struct output *out, const char *key)
{
	if (out->json)
		add(out, key, json_object_new_array());
}

void out_item_begin(struct output *out, const char *key)
{
	struct json_object *item, *list;

	if (!out->json)
		return;
	list = json_object_object_get(out->object, key);
	item = json_object_new_object();
	if (!list || !item || json_object_array_add(list, item))
		out_of_memory();
	out->line = out->object;
	out->object = item;
}

void out_item_end(struct output *out)
{
	if (out->json)
		out->object = out->line;
}

/* ---------------------------------------------------------------- pairs -- */

static void put_label(struct output *out, const char *label)
{
	fprintf(out->file, "%-*s", PAIR_WIDTH, label);
}

void out_pair_string(struct output *out, const char *key, const char *value)
{
	if (out->json) {
		out_string(out, key, 0, value);
		return;
	}
	put_label(out, key);
	put_text(out->file, value);
	fputc('\n', out->file);
}

void out_pair_number(struct output *out, const char *key, uint64_t value)
{
	if (out->json) {
		out_number(out, key, 0, value);
		return;
	}
	put_label(out, key);
	fprintf(out->file, "%" PRIu64 "\n", value);
}

void out_pair_words(struct output *out, const char *key, const char *const *words)
{
	if (out->json) {
		out_words(out, key, 0, words);
		return;
	}
	put_label(out, key);
	for (; *words; words++)
		fprintf(out->file, "%s%s", *words, words[1] ? " " : "");
	fputc('\n', out->file);
}

/* --------------------------------------------------------------- errors -- */

/* As put_text(), for a stream that is not buffered: one line is one write. */
static char *to_text(const char *value)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		out_of_memory();
	put_text(file, value);
	if (fclose(file))
		out_of_memory();
	return text;
}

void out_error(struct output *out, const char *object, const char *format, ...)
{
	struct output line = *out;
	va_list arguments;
	char *shown, *why;
	char *reason;
	int length;

	va_start(arguments, format);
	length = vasprintf(&reason, format, arguments);
	va_end(arguments);
	if (length < 0)
		out_of_memory();

	/* Text that is still buffered comes before it. */
	fflush(out->file);
	shown = to_text(object);
	why = to_text(reason);
	fprintf(stderr, "buildid: %s: %s\n", shown, why);
	free(shown);
	free(why);

	if (line.json) {
		out_begin(&line);
		out_string(&line, "type", 0, "error");
		out_string(&line, "error", 0, reason);
		out_string(&line, "object", 0, object);
		out_end(&line);
	}
	free(reason);
}
