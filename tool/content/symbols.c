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
#include "common/hash_map.h"
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

/* Bytes that are sent or received at once: a few answers. */
#define AT_ONCE 16384

/* Answers that are remembered: profiles ask for the same over and over. */
#define KNOWN_MAX   65536
#define KNOWN_BYTES (4U << 20)

struct symbols {
	pid_t pid;
	int socket;
	char received[AT_ONCE]; /* and not read yet, from at up to filled */
	size_t at, filled;
	struct symbol *known;
	size_t nr_known;
	size_t known_bytes;	     /* of their texts */
	struct hash_map by_place[2]; /* of offsets, of addresses */
	uint64_t answers;
};

struct question {
	uint64_t place;
	uint64_t is_address; /* as the file has it, else an offset in it */
};

struct reply {
	uint64_t function_offset;
	uint64_t frames; /* so many follow: the function at the address, what it is inlined into */
};

struct reply_frame {
	uint32_t function_size; /* bytes behind this, without a NUL */
	uint32_t source_size;	/* then these */
	uint32_t line;
	uint32_t reserved;
};

/* ------------------------------------------------- the process that reads -- */

struct reader {
	struct symbol_table table;
	struct source_lines *lines;
	bool raw;
	struct elf_layout layout; /* of the last offset */
	uint64_t distance;	  /* from offsets to addresses in it */
	char reply[AT_ONCE];	  /* not sent yet */
	size_t replied;
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

static bool send_reply(struct reader *reader)
{
	size_t size = reader->replied;

	reader->replied = 0;
	return send_all(READER_SOCKET, reader->reply, size);
}

static bool put_reply(struct reader *reader, const void *bytes, size_t size)
{
	if (size > sizeof(reader->reply) - reader->replied && !send_reply(reader))
		return false;
	if (size)
		memcpy(reader->reply + reader->replied, bytes, size);
	reader->replied += size;
	return true;
}

static uint32_t size_of(const char *text)
{
	return text ? (uint32_t)strnlen(text, TEXT_MAX) : 0;
}

static bool send_frame(struct reader *reader, const struct source_frame *frame)
{
	char *plain = reader->raw || !frame->function ? NULL : demangle(frame->function);
	const char *function = plain ? plain : frame->function;
	const struct reply_frame reply = {
		.function_size = size_of(function),
		.source_size = size_of(frame->source),
		.line = (uint32_t)frame->line,
	};
	bool sent = put_reply(reader, &reply, sizeof(reply)) &&
		    put_reply(reader, function, reply.function_size) &&
		    put_reply(reader, frame->source, reply.source_size);

	free(plain);
	return sent;
}

/*
 * The function in whose bytes @address is has the name in the symbol table that perf shows,
 * too. Returns the offset from its start.
 */
static uint64_t name_outermost(const struct reader *reader, uint64_t address,
			       struct source_frame *frame)
{
	const struct function *function = symbol_table_find(&reader->table, address);

	if (function) {
		frame->function = function->name;
		return address - function->start;
	}
	if (frame->start && frame->start <= address)
		return address - frame->start;
	frame->function = NULL;
	return 0;
}

/* Most are in the segment of the one before. */
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

static bool answer(struct reader *reader, const struct question *question)
{
	static struct source_frame frames[SOURCE_FRAMES_MAX];
	struct reply reply = { .frames = 1 };
	uint64_t address = question->place, i;

	frames[0] = (struct source_frame){};
	if (question->is_address || find_address(reader, question->place, &address)) {
		if (reader->lines)
			reply.frames = source_lines_find(reader->lines, address, frames);
		if (!reply.frames)
			frames[reply.frames++] = (struct source_frame){};
		reply.function_offset = name_outermost(reader, address, &frames[reply.frames - 1]);
	}
	if (!put_reply(reader, &reply, sizeof(reply)))
		return false;
	for (i = 0; i < reply.frames; i++)
		if (!send_frame(reader, &frames[i]))
			return false;
	return send_reply(reader);
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

/* As @number, which is that of none that is still to be moved: all of them are above. */
static void move(int fd, int number)
{
	if (dup2(fd, number) < 0)
		_exit(1);
}

/* The terminal would take what is typed from whoever has it open. Sanitizers report there. */
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
	/* Clear of the numbers that they are to get. */
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
	/* Here, as the other process may open nothing. They stay loaded for the next. */
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

static bool receive(struct symbols *symbols)
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

		if (!part && !receive(symbols))
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

static char *read_text(struct symbols *symbols, uint32_t size)
{
	char *text = malloc(size + 1UL);

	if (!text || !read_all(symbols, text, size)) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	return text;
}

static bool read_frame(struct symbols *symbols, struct symbol_frame *frame)
{
	struct reply_frame reply;

	*frame = (struct symbol_frame){};
	if (!read_all(symbols, &reply, sizeof(reply)) || reply.function_size > TEXT_MAX ||
	    reply.source_size > TEXT_MAX)
		return false;
	frame->line = reply.line;
	if (reply.function_size && !(frame->function = read_text(symbols, reply.function_size)))
		return false;
	/* Of the caller to free in any case. */
	return !reply.source_size || (frame->source = read_text(symbols, reply.source_size));
}

/* Whatever the other process sends, as it may be the file's by now. */
static bool read_reply(struct symbols *symbols, struct symbol *symbol)
{
	struct symbol_frame first;
	struct reply reply;
	bool good;

	if (!read_all(symbols, &reply, sizeof(reply)) || !reply.frames ||
	    reply.frames > SOURCE_FRAMES_MAX)
		return false;
	good = read_frame(symbols, &first);
	*symbol = (struct symbol){
		.function = first.function,
		.function_offset = reply.function_offset,
		.source = first.source,
		.line = first.line,
	};
	while (good && --reply.frames)
		good = array_reserve(symbol->into, symbol->nr_into) &&
		       read_frame(symbols, &symbol->into[symbol->nr_into++]);
	return good;
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

static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Without memory there may be less in it, but no function where another one is. */
static void copy_symbol(struct symbol *to, const struct symbol *from)
{
	size_t i;

	*to = (struct symbol){};
	if (from->nr_into && !(to->into = calloc(from->nr_into, sizeof(*to->into))))
		return;
	to->function = copy_text(from->function);
	to->function_offset = from->function_offset;
	to->source = copy_text(from->source);
	to->line = from->line;
	to->nr_into = from->nr_into;
	for (i = 0; i < to->nr_into; i++) {
		to->into[i].function = copy_text(from->into[i].function);
		to->into[i].source = copy_text(from->into[i].source);
		to->into[i].line = from->into[i].line;
	}
}

static size_t bytes_of(const struct symbol *symbol)
{
	size_t bytes = size_of(symbol->function) + size_of(symbol->source), i;

	for (i = 0; i < symbol->nr_into; i++)
		bytes += sizeof(symbol->into[i]) + size_of(symbol->into[i].function) +
			 size_of(symbol->into[i].source);
	return bytes;
}

static void forget(struct symbols *symbols)
{
	while (symbols->nr_known)
		symbol_free(&symbols->known[--symbols->nr_known]);
	symbols->known_bytes = 0;
	hash_map_free(&symbols->by_place[false]);
	hash_map_free(&symbols->by_place[true]);
}

static void remember(struct symbols *symbols, const struct question *question,
		     const struct symbol *symbol)
{
	if (symbols->nr_known == KNOWN_MAX || symbols->known_bytes >= KNOWN_BYTES)
		forget(symbols);
	if (!array_reserve(symbols->known, symbols->nr_known) ||
	    !hash_map_set(&symbols->by_place[question->is_address], question->place,
			  (uint32_t)symbols->nr_known))
		return;
	copy_symbol(&symbols->known[symbols->nr_known++], symbol);
	symbols->known_bytes += bytes_of(symbol);
}

static bool ask(struct symbols *symbols, const struct question *question, struct symbol *symbol)
{
	if (symbols->socket < 0)
		return false;
	if (!send_all(symbols->socket, question, sizeof(*question)) ||
	    !read_reply(symbols, symbol)) {
		symbol_free(symbol);
		end(symbols);
		return false;
	}
	symbols->answers++;
	remember(symbols, question, symbol);
	return true;
}

bool symbols_find(struct symbols *symbols, uint64_t place, bool is_address, struct symbol *symbol)
{
	const struct question question = { place, is_address };
	uint32_t known = hash_map_get(&symbols->by_place[is_address], place, KNOWN_MAX);

	*symbol = (struct symbol){};
	if (known != KNOWN_MAX)
		copy_symbol(symbol, &symbols->known[known]);
	else if (!ask(symbols, &question, symbol))
		return false;
	return symbol->function || symbol->source || symbol->nr_into;
}

bool symbols_ended(const struct symbols *symbols, uint64_t *answers)
{
	*answers = symbols->answers;
	return symbols->socket < 0;
}

void symbol_free(struct symbol *symbol)
{
	size_t i;

	free(symbol->function);
	free(symbol->source);
	for (i = 0; i < symbol->nr_into; i++) {
		free(symbol->into[i].function);
		free(symbol->into[i].source);
	}
	free(symbol->into);
	*symbol = (struct symbol){};
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	end(symbols);
	forget(symbols);
	free(symbols->known);
	free(symbols);
}
