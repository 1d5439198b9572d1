// SPDX-License-Identifier: GPL-2.0
/* Symbols: the process that reads a file, and how it is asked. */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "common/memory_limit.h"
#include "demangle.h"
#include "elf_file.h"
#include "source_lines.h"
#include "symbol_table.h"
#include "symbols.h"
#include "xz.h"

/* The user who has nothing, on every Linux. */
#define NOBODY 65534
/* Seconds of processor time for one file; the debug info of a browser takes ten. */
#define SECONDS_MAX 120
/* More than any file's tables of symbols and lines. */
#define MEMORY_MAX (2ULL << 30)
/* Longest name and path that are passed on. */
#define TEXT_MAX 4096

/* Descriptors of the process that reads. */
enum {
	READER_SOCKET = 3,
	READER_FILE,
	READER_DEBUG,
	READER_END,
};

/* At most this much around a place is read at once; a power of two. */
#define AROUND 4096
/* Cached parts of a file: profiles ask for the same ones over and over. */
#define PARTS_MAX  16384
#define PART_BYTES (8U << 20)
/* Limits of one answer. */
#define SCOPES_MAX 65536
#define TEXTS_MAX  (4U << 20) /* including padding to eight bytes */
#define ANSWER_MAX                                                                                \
	(sizeof(struct reply) + SCOPES_MAX * sizeof(struct scope) + AROUND * sizeof(struct row) + \
	 TEXTS_MAX)

struct question {
	uint64_t place;
	uint64_t is_address; /* in the file's address space; else an offset in the file */
};

/* Followed by the scopes, the rows, and the texts, each with a NUL; the first is "", for none. */
struct reply {
	uint64_t first, last;	 /* places covered, inclusive */
	uint64_t function_start; /* as a place */
	uint32_t nr_scopes, nr_rows;
	uint32_t texts; /* bytes, of which the last is a NUL */
	uint32_t more;	/* another part follows, for what comes right after it */
};

/* As struct source_scope and source_row, with places of texts. */
struct scope {
	uint32_t function;
	uint32_t source, line;
	uint32_t into;
};

struct row {
	uint32_t start; /* from the first place on */
	uint32_t scope;
	uint32_t source, line;
};

/* An answer. */
struct part {
	struct reply reply;
	const struct scope *scopes;
	const struct row *rows;
	const char *texts;
	char bytes[]; /* of all these */
};

/* Sorted by their first place. */
struct parts {
	struct part **all;
	size_t count;
	const struct part *last; /* that was found, or NULL */
};

struct symbols {
	pid_t pid;
	int socket;
	char received[16384]; /* and not read yet, from at up to filled */
	size_t at, filled;
	struct parts parts[2]; /* of offsets, of addresses */
	size_t nr_bytes;       /* of both */
	struct symbol_frame into[SOURCE_FRAMES_MAX];
	uint64_t answers;
};

/* ------------------------------------------------- the process that reads -- */

struct reader {
	struct symbol_table table;
	struct source_lines *lines;
	bool raw;
	struct elf_layout layout; /* of the last offset */
	uint64_t distance;	  /* from offsets to addresses in it */
	uint64_t function_start;  /* of the answer */
	/* The answer, in one part or two; @full: the last has no room for more texts. */
	_Alignas(struct reply) char answer[2 * ANSWER_MAX];
	size_t size;
	struct reply *reply;
	char *texts;
	bool full;
};

static const struct elf_layout nowhere = { .first = 1 };

static void limit(__rlimit_resource_t resource, rlim_t most)
{
	const struct rlimit limit = { most, most };

	setrlimit(resource, &limit);
}

/* For good, without an end. */
static void limit_memory(void)
{
	struct memory_limit memory;
	struct rlimit now;

	memory_limit_begin(&memory, MEMORY_MAX);
	if (memory.set && !getrlimit(RLIMIT_AS, &now))
		limit(RLIMIT_AS, now.rlim_cur);
}

/* Those of a user who has some without being root. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};

	if (syscall(SYS_capset, &header, none))
		_exit(1);
}

/* Of all processes the first to go: its file costs the memory, and there is another one. */
static void offer_memory(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "1000");
	close(fd);
}

/* Without descriptors libdw cannot follow the links to further files that a file has. */
static void give_up_rights(void)
{
	offer_memory();
	limit_memory();
	limit(RLIMIT_CPU, SECONDS_MAX);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	if (!geteuid() && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			   setresuid(NOBODY, NOBODY, NOBODY)))
		_exit(1);
	drop_capabilities();
	limit(RLIMIT_NPROC, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	/* Behind these, as a change of credentials takes it back. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit(RLIMIT_NOFILE, 0);
}

static bool transfer(int fd, void *bytes, size_t size, bool out)
{
	char *at = bytes;
	ssize_t done;

	while (size) {
		done = out ? send(fd, at, size, MSG_NOSIGNAL) : recv(fd, at, size, 0);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		size -= (size_t)done;
	}
	return true;
}

static bool send_all(int fd, const void *bytes, size_t size)
{
	return transfer(fd, (void *)(uintptr_t)bytes, size, true);
}

/* Append @text, truncated if too long; returns its position among the texts. */
static uint32_t put_text(struct reader *reader, const char *text)
{
	size_t length = text ? strnlen(text, TEXT_MAX) : 0;
	uint32_t at = reader->reply->texts;

	if (!length)
		return 0;
	if (length >= TEXTS_MAX - sizeof(uint64_t) - at) {
		reader->full = true;
		return 0;
	}
	memcpy(reader->texts + at, text, length);
	reader->texts[at + length] = '\0';
	reader->reply->texts += (uint32_t)length + 1;
	return at;
}

static uint32_t put_function(struct reader *reader, const char *function)
{
	char *plain = reader->raw || !function ? NULL : demangle(function);
	uint32_t at = put_text(reader, plain ? plain : function);

	free(plain);
	return at;
}

static void put_scope(struct reader *reader, const struct source_scope *from, struct scope *to)
{
	*to = (struct scope){
		.function = put_function(reader, from->function),
		.source = put_text(reader, from->source),
		.line = (uint32_t)from->line,
		.into = from->into,
	};
}

/* Most have the same source as the previous one. */
static void put_rows(struct reader *reader, const struct source_part *part, struct row *rows)
{
	const char *source = NULL;
	uint32_t at = 0;
	size_t i;

	for (i = 0; i < part->nr_rows; i++) {
		const struct source_row *row = &part->rows[i];

		if (row->source && row->source != source) {
			source = row->source;
			at = put_text(reader, source);
		}
		rows[i] = (struct row){
			.start = (uint32_t)(row->start - part->rows->start),
			.scope = row->scope,
			.source = row->source ? at : 0,
			.line = (uint32_t)row->line,
		};
	}
}

/* Append a part. False if there is no room for it. */
static bool put_part(struct reader *reader, const struct source_part *part)
{
	struct reply *reply = (void *)(reader->answer + reader->size);
	struct scope *scopes = (void *)(reply + 1);
	struct row *rows = (void *)(scopes + part->nr_scopes);
	size_t i;

	if (part->nr_scopes > SCOPES_MAX || part->nr_rows > AROUND)
		return false;
	*reply = (struct reply){
		.nr_scopes = (uint32_t)part->nr_scopes,
		.nr_rows = (uint32_t)part->nr_rows,
		.texts = 1,
	};
	reader->reply = reply;
	reader->texts = (char *)(rows + part->nr_rows);
	*reader->texts = '\0';
	reader->full = false;
	for (i = 0; i < part->nr_scopes; i++)
		put_scope(reader, &part->scopes[i], &scopes[i]);
	put_rows(reader, part, rows);
	return !reader->full;
}

/* Complete a part, so that another one can follow. */
static void end_part(struct reader *reader)
{
	struct reply *reply = reader->reply;

	while (reply->texts % sizeof(uint64_t))
		reader->texts[reply->texts++] = '\0';
	reader->size = (size_t)(reader->texts + reply->texts - reader->answer);
}

/*
 * The name of the function with @address is that of the symbol table, as in perf. False if there is
 * no room for everything about @range.
 */
static bool look_up(struct reader *reader, uint64_t address, struct code_range *range)
{
	const struct function *function = symbol_table_find(&reader->table, address, range);
	struct source_scope nothing = {};
	struct source_part part = { .scopes = &nothing, .nr_scopes = 1, .nr_rows = 1 };
	struct source_row row = {};

	if (!reader->lines || !source_lines_find(reader->lines, address, range, &part)) {
		row.start = range->first;
		part.rows = &row;
	}
	if (function) {
		part.scopes->function = function->name;
		part.function_start = function->start;
	} else if (!part.function_start || part.function_start > address) {
		part.scopes->function = NULL;
	}
	reader->function_start = part.function_start;
	return put_part(reader, &part);
}

/* Most are in the same segment as the previous one. */
static bool find_address(struct reader *reader, uint64_t offset, uint64_t *address)
{
	struct elf_layout *layout = &reader->layout;

	if (offset < layout->first || offset > layout->last) {
		if (!elf_file_layout(READER_FILE, offset, offset, layout)) {
			*layout = nowhere;
			return false;
		}
		reader->distance = layout->start - offset;
	}
	*address = offset + reader->distance;
	return true;
}

/* The range around an address, given its distance from the ends of its segment. */
static struct code_range range_around(uint64_t address, uint64_t around, uint64_t before,
				      uint64_t behind)
{
	struct code_range range = { address & ~(around - 1), address | (around - 1) };

	if (address - range.first > before)
		range.first = address - before;
	if (range.last - address > behind)
		range.last = address + behind;
	return range;
}

static void look_around(struct reader *reader, const struct question *question, uint64_t address)
{
	const struct elf_layout *layout = &reader->layout;
	const bool whole = question->is_address;
	uint64_t before = whole ? address : question->place - layout->first;
	uint64_t behind = whole ? UINT64_MAX - address : layout->last - question->place;
	struct code_range range;
	uint64_t around;

	for (around = AROUND; around; around /= 64) {
		range = range_around(address, around, before, behind);
		if (look_up(reader, address, &range))
			break;
	}
	reader->reply->first = question->place - (address - range.first);
	reader->reply->last = question->place + (range.last - address);
	reader->reply->function_start = question->place - (address - reader->function_start);
	end_part(reader);
}

/* A few bytes between functions belong to none, which are not worth a separate query. */
static void look_behind(struct reader *reader, const struct question *question, uint64_t address)
{
	struct reply *reply = reader->reply;
	const struct question next = { reply->last + 1, question->is_address };
	struct code_range unused = { 0, UINT64_MAX };

	address += next.place - question->place;
	if (!next.place || !(address % AROUND) ||
	    (!next.is_address && next.place > reader->layout.last) ||
	    symbol_table_find(&reader->table, address, &unused))
		return;
	reply->more = 1;
	look_around(reader, &next, address);
}

static bool answer(struct reader *reader, const struct question *question)
{
	static struct source_scope nothing;
	static const struct source_row row;
	static const struct source_part unknown = { &nothing, 1, &row, 1, 0 };
	uint64_t address = question->place;

	reader->size = 0;
	if (question->is_address || find_address(reader, question->place, &address)) {
		look_around(reader, question, address);
		look_behind(reader, question, address);
	} else {
		put_part(reader, &unknown);
		reader->reply->first = reader->reply->last = question->place;
		end_part(reader);
	}
	return send_all(READER_SOCKET, reader->answer, reader->size);
}

static bool read_symbols(struct reader *reader, bool debug)
{
	return symbol_table_read(&reader->table, READER_FILE, false) ||
	       (debug && symbol_table_read(&reader->table, READER_DEBUG, false)) ||
	       symbol_table_read(&reader->table, READER_FILE, true);
}

static void serve(bool debug, bool raw)
{
	static struct reader reader;
	struct question question;

	reader.raw = raw;
	reader.layout = nowhere;

	give_up_rights();
	read_symbols(&reader, debug);
	reader.lines = source_lines_new(READER_FILE);
	if (!reader.lines && debug)
		reader.lines = source_lines_new(READER_DEBUG);
	while (transfer(READER_SOCKET, &question, sizeof(question), false) &&
	       answer(&reader, &question))
		;
	source_lines_free(reader.lines);
	symbol_table_free(&reader.table);
}

/* Move to @number. Safe, as all descriptors still to be moved are above READER_END. */
static void move(int fd, int number)
{
	if (dup2(fd, number) < 0)
		_exit(1);
}

/* Must not keep the terminal open, as its input goes to any reader. Sanitizers report to it. */
static void leave_terminal(void)
{
#ifndef __SANITIZE_ADDRESS__
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	else
		close(STDERR_FILENO);
#endif
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	setsid();
}

static void __attribute__((noreturn)) run_reader(int socket, int fd, int debug, bool raw)
{
	/* Above the numbers that they will get. */
	socket = fcntl(socket, F_DUPFD, READER_END);
	fd = fcntl(fd, F_DUPFD, READER_END);
	if (debug >= 0)
		debug = fcntl(debug, F_DUPFD, READER_END);
	leave_terminal();
	move(socket, READER_SOCKET);
	move(fd, READER_FILE);
	if (debug >= 0)
		move(debug, READER_DEBUG);
	if (close_range(debug >= 0 ? READER_END : READER_DEBUG, ~0U, 0))
		_exit(1);
	serve(debug >= 0, raw);
	_exit(0);
}

/* ---------------------------------------------------------- who asks it -- */

struct symbols *symbols_new(int fd, int debug, bool raw)
{
	struct symbols *new = calloc(1, sizeof(*new));
	int sockets[2];

	if (!new)
		return NULL;
	/* Load here, as the other process may open nothing. They stay loaded for the next one. */
	source_lines_load();
	xz_load();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		free(new);
		return NULL;
	}
	new->pid = fork();
	if (!new->pid)
		run_reader(sockets[1], fd, debug, raw);
	close(sockets[1]);
	new->socket = sockets[0];
	if (new->pid > 0)
		return new;
	close(sockets[0]);
	free(new);
	return NULL;
}

static bool symbols_receive(struct symbols *symbols)
{
	ssize_t done;

	do {
		done = recv(symbols->socket, symbols->received, sizeof(symbols->received), 0);
	} while (done < 0 && errno == EINTR);
	symbols->at = 0;
	symbols->filled = done > 0 ? (size_t)done : 0;
	return done > 0;
}

static bool read_all(struct symbols *symbols, void *bytes, size_t size)
{
	char *to = bytes;

	while (size) {
		size_t part = symbols->filled - symbols->at;

		if (!part && !symbols_receive(symbols))
			return false;
		part = symbols->filled - symbols->at;
		if (part > size)
			part = size;
		memcpy(to, symbols->received + symbols->at, part);
		symbols->at += part;
		to += part;
		size -= part;
	}
	return true;
}

static size_t size_of(const struct reply *reply)
{
	return reply->nr_scopes * sizeof(struct scope) + reply->nr_rows * sizeof(struct row) +
	       reply->texts;
}

/* Whether it is about @place, and no larger than any answer. */
static bool is_about(const struct reply *reply, uint64_t place)
{
	return reply->first <= place && place <= reply->last &&
	       reply->last - reply->first < AROUND && reply->nr_scopes &&
	       reply->nr_scopes <= SCOPES_MAX && reply->nr_rows && reply->nr_rows <= AROUND &&
	       reply->texts && reply->texts <= TEXTS_MAX;
}

/* Each scope is in an earlier one, so that walks end. */
static bool are_scopes(const struct part *part)
{
	const struct reply *reply = &part->reply;
	uint32_t i;

	for (i = 0; i < reply->nr_scopes; i++) {
		const struct scope *scope = &part->scopes[i];

		if (scope->function >= reply->texts || scope->source >= reply->texts ||
		    (i && scope->into >= i))
			return false;
	}
	return true;
}

static bool are_rows(const struct part *part)
{
	const struct reply *reply = &part->reply;
	uint32_t i;

	for (i = 0; i < reply->nr_rows; i++) {
		const struct row *row = &part->rows[i];

		if (row->scope >= reply->nr_scopes || row->source >= reply->texts ||
		    (i ? row->start <= row[-1].start : row->start))
			return false;
	}
	return true;
}

/* Check everything: a hostile file may control the other process by now. */
static struct part *read_part(struct symbols *symbols, uint64_t place)
{
	struct reply reply;
	struct part *part;
	size_t size;

	if (!read_all(symbols, &reply, sizeof(reply)) || !is_about(&reply, place))
		return NULL;
	size = size_of(&reply);
	part = malloc(sizeof(*part) + size);
	if (!part)
		return NULL;
	part->reply = reply;
	part->scopes = (const void *)part->bytes;
	part->rows = (const void *)(part->scopes + reply.nr_scopes);
	part->texts = (const char *)(part->rows + reply.nr_rows);
	if (read_all(symbols, part->bytes, size) && !part->bytes[size - 1] && !*part->texts &&
	    are_scopes(part) && are_rows(part))
		return part;
	free(part);
	return NULL;
}

static void end(struct symbols *symbols)
{
	if (symbols->socket < 0)
		return;
	close(symbols->socket);
	symbols->socket = -1;
	kill(symbols->pid, SIGKILL);
	while (waitpid(symbols->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void symbols_forget(struct symbols *symbols)
{
	struct parts *parts = symbols->parts;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(symbols->parts); i++) {
		while (parts[i].count)
			free(parts[i].all[--parts[i].count]);
		free(parts[i].all);
		parts[i] = (struct parts){};
	}
	symbols->nr_bytes = 0;
}

/* The number of parts that begin at or before @place. */
static size_t count_until(const struct parts *parts, uint64_t place)
{
	size_t low = 0, high = parts->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (parts->all[middle]->reply.first <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool symbols_has(const struct part *part, uint64_t place)
{
	return part && place >= part->reply.first && place <= part->reply.last;
}

static const struct part *find_part(struct parts *parts, uint64_t place)
{
	size_t count;

	if (symbols_has(parts->last, place))
		return parts->last;
	count = count_until(parts, place);
	parts->last = count ? parts->all[count - 1] : NULL;
	return symbols_has(parts->last, place) ? parts->last : NULL;
}

/* False without memory. */
static bool symbols_remember(struct symbols *symbols, bool is_address, struct part *part)
{
	struct parts *parts = &symbols->parts[is_address];
	size_t at;

	if (parts->count == PARTS_MAX || symbols->nr_bytes > PART_BYTES)
		symbols_forget(symbols);
	if (!array_reserve(parts->all, parts->count))
		return false;
	at = count_until(parts, part->reply.first);
	memmove(parts->all + at + 1, parts->all + at, (parts->count - at) * sizeof(*parts->all));
	parts->all[at] = part;
	parts->count++;
	symbols->nr_bytes += sizeof(*part) + size_of(&part->reply);
	return true;
}

/* Both parts of an answer, the second may be NULL; false if there is no answer. */
static bool read_answer(struct symbols *symbols, uint64_t place, struct part *parts[2])
{
	parts[0] = read_part(symbols, place);
	parts[1] = NULL;
	if (!parts[0] || !parts[0]->reply.more)
		return parts[0];
	parts[1] = read_part(symbols, parts[0]->reply.last + 1);
	if (parts[1])
		return true;
	free(parts[0]);
	return false;
}

/* NULL if there is no answer. */
static const struct part *symbols_ask(struct symbols *symbols, uint64_t place, bool is_address)
{
	const struct question question = { place, is_address };
	struct part *parts[2];

	if (symbols->socket < 0)
		return NULL;
	if (!send_all(symbols->socket, &question, sizeof(question)) ||
	    !read_answer(symbols, place, parts)) {
		end(symbols);
		return NULL;
	}
	symbols->answers++;
	if (parts[1] && !symbols_remember(symbols, is_address, parts[1]))
		free(parts[1]);
	/* Last, as it may evict the others. */
	if (symbols_remember(symbols, is_address, parts[0]))
		return parts[0];
	free(parts[0]);
	return NULL;
}

static const struct row *find_row(const struct part *part, uint64_t place)
{
	size_t low = 0, high = part->reply.nr_rows, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (part->rows[middle].start <= place - part->reply.first)
			low = middle;
		else
			high = middle;
	}
	return &part->rows[low];
}

static const char *text_at(const struct part *part, uint32_t at)
{
	return at ? part->texts + at : NULL;
}

/* From the innermost inlined scope to the function that contains them. */
static void symbols_describe(struct symbols *symbols, const struct part *part, uint64_t place,
			     struct symbol *symbol)
{
	const struct row *row = find_row(part, place);
	const struct scope *scope = &part->scopes[row->scope], *into;

	*symbol = (struct symbol){
		.function = text_at(part, scope->function),
		.source = text_at(part, row->source),
		.line = row->line,
		.into = symbols->into,
	};
	for (; scope != part->scopes && symbol->nr_into < SOURCE_FRAMES_MAX; scope = into) {
		into = &part->scopes[scope->into];
		symbols->into[symbol->nr_into++] = (struct symbol_frame){
			.function = text_at(part, into->function),
			.source = text_at(part, scope->source),
			.line = scope->line,
		};
	}
	if (part->scopes->function)
		symbol->function_offset = place - part->reply.function_start;
}

bool symbols_find(struct symbols *symbols, uint64_t place, bool is_address, struct symbol *symbol)
{
	const struct part *part = find_part(&symbols->parts[is_address], place);

	*symbol = (struct symbol){};
	if (!part)
		part = symbols_ask(symbols, place, is_address);
	if (!part)
		return false;
	symbols_describe(symbols, part, place, symbol);
	return symbol->function || symbol->source || symbol->nr_into;
}

bool symbols_ended(const struct symbols *symbols, uint64_t *answers)
{
	*answers = symbols->answers;
	return symbols->socket < 0;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	end(symbols);
	symbols_forget(symbols);
	free(symbols);
}
