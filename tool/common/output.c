// SPDX-License-Identifier: GPL-2.0
/*
 * Output. JSON is written here and not by json-c, whose tree of objects takes five times as long as
 * a line of text; our output is flat, and may have millions of lines.
 *
 * Names come from files and processes of any user: control characters are escaped in text, and
 * invalid UTF-8 is replaced in JSON.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "output.h"
#include "progress.h"
#include "utf8.h"

#define PAIR_WIDTH 17
#define DELETE	   0x7f
/* Grows for a longer line. */
#define LINE_ROOM 1024

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

/* ----------------------------------------------------------------- line -- */

/* Lines are short, and written in one go when complete, as an error message may come first. */
static void output_grow(struct output_line *line, size_t size)
{
	size_t room = line->room ? line->room : LINE_ROOM;

	while (room - line->size < size)
		room *= 2;
	line->text = realloc(line->text, room);
	line->room = room;
	if (!line->text)
		out_of_memory();
}

static inline char *line_room(struct output_line *line, size_t size)
{
	if (line->room - line->size < size || !line->text)
		output_grow(line, size);
	return line->text + line->size;
}

static inline void output_put(struct output_line *line, const char *bytes, size_t size)
{
	memcpy(line_room(line, size), bytes, size);
	line->size += size;
}

static void put_char(struct output_line *line, char c)
{
	*line_room(line, 1) = c;
	line->size++;
}

static int __attribute__((format(printf, 2, 3)))
put_format(struct output_line *line, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		out_of_memory();
	output_put(line, text, (size_t)length);
	free(text);
	return length;
}

static void put_blanks(struct output_line *line, int count)
{
	while (count-- > 0)
		put_char(line, ' ');
}

/* The digits of @value, ending at @end. */
static char *digits_of(uint64_t value, unsigned int base, char *end)
{
	do
		*--end = "0123456789abcdef"[value % base];
	while (value /= base);
	return end;
}

/* In at least @width characters; returns how many. */
static int put_number(struct output_line *line, uint64_t value, unsigned int base, int width)
{
	char digits[24], *end = digits + sizeof(digits), *first = digits_of(value, base, end);
	int length = (int)(end - first), blanks = width > length ? width - length : 0;

	put_blanks(line, blanks);
	output_put(line, first, (size_t)length);
	return blanks + length;
}

/* Sticky: once buffered output is lost, later calls do not fail. */
static int write_error;

int out_write_error(void)
{
	return write_error;
}

void out_flush(struct output *out)
{
	struct output_line *line = &out->line;

	if (line->size && fwrite(line->text, 1, line->size, out->file) < line->size && !write_error)
		write_error = errno;
	line->size = 0;
}

void out_free(struct output *out)
{
	free(out->line.text);
	out->line = (struct output_line){};
}

static void end_line(struct output *out)
{
	out_flush(out);
	out_free(out);
}

/* ----------------------------------------------------------------- JSON -- */

static void put_escape(struct output_line *line, uint32_t code)
{
	static const char from[] = "\b\f\n\r\t\"\\", to[] = "bfnrt\"\\";
	const char *found = memchr(from, (int)code, sizeof(from) - 1);
	char text[8];

	if (found)
		output_put(line, (char[]){ '\\', to[found - from] }, 2);
	else
		output_put(line, text, (size_t)snprintf(text, sizeof(text), "\\u%04x", code));
}

/* The number of leading bytes that need no escape. */
static size_t plain(const char *value)
{
	const char *end = value;

	while (*end >= ' ' && *end < DELETE && *end != '"' && *end != '\\')
		end++;
	return (size_t)(end - value);
}

static void put_quoted(struct output_line *line, const char *value)
{
	uint32_t code;
	size_t length;

	output_put(line, "\"", 1);
	for (;;) {
		length = plain(value);
		output_put(line, value, length);
		value += length;
		if (!*value)
			break;
		length = utf8_decode(value, &code);
		if (!length)
			output_put(line, UTF8_REPLACEMENT, strlen(UTF8_REPLACEMENT));
		else if (utf8_is_control(code) || code < DELETE)
			put_escape(line, code);
		else
			output_put(line, value, length);
		value += length ? length : 1;
	}
	output_put(line, "\"", 1);
}

void out_in_string(struct output *out, const char *value)
{
	struct output_line *line = &out->line;
	size_t first = line->size;

	put_quoted(line, value);
	memmove(line->text + first, line->text + first + 1, line->size - first - 2);
	line->size -= 2;
}

static void put_string(struct output_line *line, const char *value)
{
	if (value)
		put_quoted(line, value);
	else
		output_put(line, "null", strlen("null"));
}

/* The value of @key follows. */
static void put_key(struct output_line *line, const char *key)
{
	if (line->text[line->size - 1] != '{')
		output_put(line, ",", 1);
	put_quoted(line, key);
	output_put(line, ":", 1);
}

static void put_words(struct output_line *line, const char *const *words)
{
	output_put(line, "[", 1);
	for (; *words; words++) {
		put_quoted(line, *words);
		if (words[1])
			output_put(line, ",", 1);
	}
	output_put(line, "]", 1);
}

/* True for a field of an object, after its key. */
static bool begin_field(struct output *out, const char *key)
{
	if (out->json && key)
		put_key(&out->line, key);
	return out->json && key;
}

void out_begin(struct output *out)
{
	out->started = false;
	out->columns = 0;
	if (out->json)
		output_put(&out->line, "{", 1);
}

void out_end(struct output *out)
{
	if (out->json && out->source)
		out_string(out, "source", 0, out->source);
	if (out->json)
		output_put(&out->line, "}\n", 2);
	else if (out->started)
		put_char(&out->line, '\n');
	end_line(out);
}

/* ----------------------------------------------------------------- text -- */

/* Whether eight bytes are all printable ASCII; false negatives are possible. */
static bool are_printable(const char *text)
{
	const uint64_t each = UINT64_MAX / 255, high = 0x80 * each;
	uint64_t eight;

	memcpy(&eight, text, sizeof(eight));
	return !(((eight - ' ' * each) | (eight + (0x80 - DELETE) * each) | eight) & high);
}

/* How many of the first @size bytes are printable. */
static size_t output_printable(const char *text, size_t size)
{
	size_t at = 0;

	while (size - at >= 8 && are_printable(text + at))
		at += 8;
	/* The last bytes, together with some before them. */
	if (size >= 8 && size - at < 8 && are_printable(text + size - 8))
		return size;
	while (at < size && text[at] >= ' ' && text[at] < DELETE)
		at++;
	return at;
}

/*
 * A name may contain control characters, or a newline. As in /proc/PID/maps, such bytes are written
 * in octal, and all others, UTF-8 or not, unchanged: the terminal may use another encoding.
 */
static int put_text(struct output_line *line, const char *text)
{
	size_t size = strlen(text), length = output_printable(text, size);
	const char *end = text + size;
	int columns = (int)length;

	output_put(line, text, length);
	for (text += length; text < end; columns += (int)length) {
		uint32_t code = (unsigned char)*text;
		bool control;

		length = utf8_decode(text, &code);
		control = utf8_is_control(code);
		columns += !control;
		for (length += !length; length; length--, text++)
			if (control)
				columns += put_format(line, "\\%03o", (unsigned char)*text);
			else
				put_char(line, *text);
		length = output_printable(text, (size_t)(end - text));
		output_put(line, text, length);
		text += length;
	}
	return columns;
}

static void put_escape_code(struct output_line *line, const char *escape)
{
	if (escape)
		output_put(line, escape, strlen(escape));
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
		put_char(&out->line, ' ');
		out->columns++;
	}
	out->started = true;
}

/* False for a column that only JSON has. */
static bool begin_column(struct output *out, int width)
{
	if (width != OUT_HIDDEN)
		separate(out);
	return width != OUT_HIDDEN;
}

static void put_column(struct output *out, enum out_style style, int width, const char *value)
{
	const char *escape = escape_of(out, style);
	struct output_line *line = &out->line;
	int columns;

	put_escape_code(line, escape);
	columns = put_text(line, value);
	put_escape_code(line, escape ? "\033[0m" : NULL);
	put_blanks(line, width - columns);
	out->columns += columns < width ? width : columns;
}

/* --------------------------------------------------------------- fields -- */

void out_styled(struct output *out, enum out_style style, const char *key, int width,
		const char *value)
{
	if (begin_field(out, key))
		put_string(&out->line, value);
	else if (!out->json && begin_column(out, width))
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
	put_escape_code(&out->line, escape);
	output_put(&out->line, fitted, strlen(fitted));
	put_escape_code(&out->line, escape ? "\033[0m" : NULL);
	put_blanks(&out->line, width - columns);
	out->columns += columns < width ? width : columns;
	free(fitted);
}

int out_room(const struct output *out)
{
	return out->width ? out->width - out->columns - out->started : OUT_ENDLESS;
}

void out_bytes(struct output *out, const char *bytes, size_t size)
{
	output_put(&out->line, bytes, size);
}

void out_more(struct output *out, const char *text)
{
	if (!out->json)
		out->columns += put_text(&out->line, text);
}

void out_number(struct output *out, const char *key, int width, uint64_t value)
{
	if (begin_field(out, key))
		put_number(&out->line, value, 10, 0);
	else if (!out->json && begin_column(out, width))
		out->columns += put_number(&out->line, value, 10, width);
}

/* Not by printf(), which has the locale's decimal point. */
void out_rate(struct output *out, const char *key, double value)
{
	const uint64_t tenths = (uint64_t)(value * 10 + 0.5);

	if (!out->json || !begin_field(out, key))
		return;
	put_number(&out->line, tenths / 10, 10, 0);
	output_put(&out->line, ".", 1);
	put_number(&out->line, tenths % 10, 10, 0);
}

void out_more_plain(struct output *out, const char *plain)
{
	size_t length = strlen(plain);

	if (out->json)
		return;
	output_put(&out->line, plain, length);
	out->columns += (int)length;
}

void out_more_number(struct output *out, uint64_t value)
{
	if (!out->json)
		out->columns += put_number(&out->line, value, 10, 0);
}

void out_more_hex(struct output *out, uint64_t value)
{
	if (!out->json)
		out->columns += put_number(&out->line, value, 16, 0);
}

void out_signed(struct output *out, const char *key, int width, int64_t value)
{
	if (begin_field(out, key))
		put_format(&out->line, "%" PRId64, value);
	else if (!out->json && begin_column(out, width))
		out->columns += put_format(&out->line, "%*" PRId64, width, value);
}

void out_address(struct output *out, const char *key, int width, uint64_t value)
{
	char name[32], text[32];

	if (out->json && key) {
		out_number(out, key, width, value);
		snprintf(name, sizeof(name), "%s_hex", key);
		snprintf(text, sizeof(text), "0x%" PRIx64, value);
		out_string(out, name, width, text);
	} else if (!out->json && begin_column(out, width)) {
		out->columns += put_number(&out->line, value, 16, width);
	}
}

void out_null(struct output *out, const char *key)
{
	out_string(out, key, OUT_HIDDEN, NULL);
}

void out_words(struct output *out, const char *key, int width, const char *const *words)
{
	if (begin_field(out, key))
		put_words(&out->line, words);
	else
		for (; !out->json && *words && begin_column(out, width); words++)
			out->columns += put_format(&out->line, "(%s)", *words);
}

/* ---------------------------------------------------------------- lists -- */

void out_list_begin(struct output *out, const char *key)
{
	if (begin_field(out, key))
		output_put(&out->line, "[", 1);
}

void out_list_end(struct output *out)
{
	if (out->json)
		output_put(&out->line, "]", 1);
}

void out_item_begin(struct output *out)
{
	struct output_line *line = &out->line;

	if (!out->json)
		return;
	if (line->text[line->size - 1] != '[')
		output_put(line, ",", 1);
	output_put(line, "{", 1);
}

void out_item_end(struct output *out)
{
	if (out->json)
		output_put(&out->line, "}", 1);
}

/* ---------------------------------------------------------------- pairs -- */

static void put_label(struct output *out, const char *label)
{
	put_format(&out->line, "%-*s", PAIR_WIDTH, label);
}

static void end_pair(struct output *out)
{
	put_char(&out->line, '\n');
	end_line(out);
}

void out_pair_string(struct output *out, const char *key, const char *value)
{
	if (out->json) {
		out_string(out, key, 0, value);
		return;
	}
	put_label(out, key);
	put_text(&out->line, value);
	end_pair(out);
}

void out_pair_number(struct output *out, const char *key, uint64_t value)
{
	if (out->json) {
		out_number(out, key, 0, value);
		return;
	}
	put_label(out, key);
	put_number(&out->line, value, 10, 0);
	end_pair(out);
}

void out_pair_words(struct output *out, const char *key, const char *const *words)
{
	if (out->json) {
		out_words(out, key, 0, words);
		return;
	}
	put_label(out, key);
	for (; *words; words++)
		put_format(&out->line, "%s%s", *words, words[1] ? " " : "");
	end_pair(out);
}

/* --------------------------------------------------------------- errors -- */

/* As put_text(), for an unbuffered stream: one line is one write. */
static char *to_text(const char *value)
{
	struct output_line line = {};

	put_text(&line, value);
	put_char(&line, '\0');
	return line.text;
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

	/* Text that is still buffered comes first. */
	if (!out->json)
		end_line(out);
	if (fflush(out->file) && !write_error)
		write_error = errno;
	shown = to_text(object);
	why = to_text(reason);
	progress_clear();
	fprintf(stderr, "buildid: %s: %s\n", shown, why);
	free(shown);
	free(why);

	if (line.json) {
		line.line = (struct output_line){};
		out_begin(&line);
		out_string(&line, "type", 0, "error");
		out_string(&line, "error", 0, reason);
		out_string(&line, "object", 0, object);
		out_end(&line);
	}
	free(reason);
}
