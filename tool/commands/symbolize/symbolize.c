// SPDX-License-Identifier: GPL-2.0
/*
 * buildid symbolize: addresses of processes, also of those that have exited, by name.
 *
 * A profiler that prints "0x7f12..." found nothing to look into any more. What was mapped
 * there is known still, and a file with that content is mostly to be had.
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/supervise.h"
#include "json_strings.h"
#include "commands/module.h"
#include "commands/open_source.h"
#include "named_address.h"
#include "commands/options.h"
#include "commands/print.h"
#include "stack_text.h"

static const char help[] =
	"Name the addresses in what bpftrace, perf script, coredumpctl, debuggers, sanitizers, "
	"runtimes and the kernel print, as text or in JSON: function, file, offset in it, build-id "
	"and, with debug info, the source line, also when the process has exited or the file was "
	"deleted or replaced. All other text is passed through as it is, line by line. With "
	"operands: print a line for each ADDR, in hex, of process PID.\v"
	"An address is a word 0x..., of a stack's line the first; the digits behind \"ip\" and "
	"\"pc\"; a line of nothing but digits; what is in a column of perf script; each word of 8 "
	"digits or more in a line \"PID ADDR...\". Its process is the one named last before it, in "
	"its line or the nearest above that is not of the stack, in the key @[...] or the object "
	"of JSON that it is in, or in the line \"- comm (PID)\" below: the number after \"pid\", "
	"\"tgid\" or \"process\", in \"==PID==\", or else the only number there, and in lines of "
	"perf script the word before the time (which is a thread; use perf script -F +pid). Words "
	"are separated by blanks and ,;:=|()[]{}\"'. All but the first of a stack are return "
	"addresses: what is named is the call. A build-id and an offset need no process: \"ID "
	"0xOFFSET\", \"ID + OFFSET\", \"(FILE+0xADDRESS) (BuildId: ID)\".\n\n"
	"Exit status: 1 when an ADDR given as operand is in no file that is known.";

static const char examples[] =
	"bpftrace -e 'profile:hz:99 { @[ustack(raw)] = count(); }' | buildid symbolize\n"
	"buildid symbolize 1234 0x7f1c2a4b3d10\n";

/* What is beyond is no offset in a file that is mapped for its code. */
#define OFFSET_LIMIT (1ULL << 32)

struct symbolize {
	struct output out;
	struct namer_options options;
	struct stack_options stack;
	struct namer *namer;
	const char *log;
	bool mono;
	bool perf;
	size_t at_once;
	bool refused; /* the module cannot be asked, which was said */
	uint64_t problems[ADDRESS_PROBLEMS];
	uint64_t unnamed; /* located, but without a function */
	uint64_t passed;  /* not looked at */
};

/* Of a line of text, and of one that is JSON, where bpftrace prints a map as a line. */
#define LINE_MAX_TEXT (1U << 20)
#define LINE_MAX_JSON (64U << 20)

/* Bytes of text that wait to be written, while there is more to read; on a terminal none. */
#define AT_ONCE (1U << 15)

/* Standard input, in memory that does not depend on it. */
struct input {
	struct output *out;
	char buffer[1 << 16]; /* read, and not yet in a line, from at up to filled */
	size_t at, filled;
	char *line;
	size_t room;
	bool is_long;  /* and goes on */
	bool is_piece; /* and not a whole line */
	uint64_t nr_long;
	int error;
};

/* ----------------------------------------------------------------- output -- */

/*
 * "name+0x12 (/path+0x1139) 12ab source.c:7", each part as far as it is known, and behind that
 * "(inlined by) name+0x12 source.c:20" for each function that the one before is inlined into.
 * An inlined one has many beginnings, so only the last has an offset.
 */
static void put_function(struct output *out, const char *function, const uint64_t *offset)
{
	out_string(out, NULL, 0, function ? function : "[unknown]");
	out_string(out, "function", OUT_HIDDEN, function);
	if (function && offset) {
		out_more_plain(out, "+0x");
		out_more_hex(out, *offset);
		out_number(out, "function_offset", OUT_HIDDEN, *offset);
	} else {
		out_null(out, "function_offset");
	}
}

/* "/path/base.apk!libfoo.so+0x1139", of a zip's member whose name is known. */
static void put_file(struct output *out, const struct named_address *named)
{
	const char *path = named->path && *named->path ? named->path : NULL;
	const char *member = named->member;

	/* Behind the function. */
	out_more_plain(out, " (");
	out_more(out, path ? path : "?");
	if (member) {
		out_more_plain(out, "!");
		out_more(out, member);
	}
	out_more_plain(out, "+0x");
	out_more_hex(out, member ? named->member_offset : named->offset);
	out_more_plain(out, ")");
	out_string(out, "path", OUT_HIDDEN, path);
	out_address(out, "offset", OUT_HIDDEN, named->offset);
}

static void put_member(struct output *out, const struct named_address *named)
{
	out_string(out, "member", OUT_HIDDEN, named->member);
	if (named->embedded) {
		out_address(out, "member_offset", OUT_HIDDEN, named->member_offset);
	} else {
		out_null(out, "member_offset");
		out_null(out, "member_offset_hex");
	}
}

static void put_identity(struct output *out, const struct identity *identity)
{
	/* Mostly the same as before. */
	static struct identity last;
	static char text[PRINT_ID_MAX];
	char hex[BUILD_ID_TEXT];

	if (!out->json) {
		if (!*text || last.kind != identity->kind || last.reason != identity->reason ||
		    !build_id_equal(&last.id, &identity->id)) {
			last = *identity;
			print_identity(identity, text);
		}
		out_styled(out, identity->id.size ? OUT_GOOD : OUT_WEAK, NULL, 0, text);
		return;
	}
	out_string(out, "build_id", OUT_HIDDEN,
		   identity->id.size ? build_id_text(&identity->id, hex) : NULL);
	out_string(out, "kind", OUT_HIDDEN, buildid_kind_name(identity->kind));
	out_string(out, "reason", OUT_HIDDEN, buildid_reason_name(identity->reason));
}

static void put_source(struct output *out, const char *source, uint32_t line)
{
	out_string(out, "source", OUT_HIDDEN, source);
	if (source) {
		out_string(out, NULL, 0, source);
		out_more_plain(out, ":");
		out_more_number(out, line);
		out_number(out, "line", OUT_HIDDEN, line);
	} else {
		out_null(out, "line");
	}
}

static void put_callers(struct output *out, const struct symbol *symbol)
{
	const struct symbol_frame *frame;
	size_t i;

	out_list_begin(out, "inlined_by");
	for (i = 0; i < symbol->nr_into; i++) {
		frame = &symbol->into[i];
		out_item_begin(out);
		out_string(out, NULL, 0, "(inlined by)");
		put_function(out, frame->function,
			     i == symbol->nr_into - 1 ? &symbol->function_offset : NULL);
		put_source(out, frame->source, frame->line);
		out_item_end(out);
	}
	out_list_end(out);
}

/* How it is known, in JSON only, and why not. */
static void put_origin(struct output *out, const struct named_address *named)
{
	const char *problem = NULL;

	if (!out->json)
		return;
	if (named->problem != ADDRESS_LOCATED)
		problem = address_problem_text(named->problem);
	else if (!named->symbol.function && !named->symbol.nr_into)
		problem = named->unnamed;
	out_string(out, "known_from", OUT_HIDDEN, named->known_from);
	out_string(out, "symbols_from", OUT_HIDDEN, named->symbols_from);
	out_string(out, "problem", OUT_HIDDEN, problem);
}

/* With @pair the text has the build-id and the offset already. */
static void put_named(struct output *out, const struct named_address *named, bool pair)
{
	const struct symbol *symbol = &named->symbol;

	put_function(out, symbol->function, symbol->nr_into ? NULL : &symbol->function_offset);
	if (!pair || out->json) {
		put_file(out, named);
		put_identity(out, &named->identity);
		put_member(out, named);
	}
	put_source(out, symbol->source, symbol->line);
	put_callers(out, symbol);
	put_origin(out, named);
}

/* The same keys, so that a reader need not ask for each. */
static void put_unknown(struct output *out, const struct named_address *named)
{
	static const char *const keys[] = { "function", "function_offset", "path",
					    "offset",	"offset_hex",	   "build_id" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		out_null(out, keys[i]);
	out_string(out, "kind", OUT_HIDDEN, buildid_kind_name(BUILDID_KIND_NONE));
	out_null(out, "reason");
	put_member(out, named);
	out_null(out, "source");
	out_null(out, "line");
	out_list_begin(out, "inlined_by");
	out_list_end(out);
	put_origin(out, named);
	out_string(out, NULL, 0, address_problem_text(named->problem));
}

static void show_line(struct output *out, uint32_t pid, const uint64_t *addr,
		      const struct named_address *named)
{
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "symbol");
	if (pid)
		out_number(out, "pid", 0, pid);
	else
		out_null(out, "pid");
	if (addr) {
		out_address(out, "addr", 0, *addr);
	} else {
		out_null(out, "addr");
		out_null(out, "addr_hex");
	}
	if (named->problem == ADDRESS_LOCATED)
		put_named(out, named, false);
	else
		put_unknown(out, named);
	out_end(out);
}

/* ------------------------------------------------------------------- text -- */

/* Only some texts need the module, so that it is missed where one does: once. */
static bool has_module(struct symbolize *symbolize)
{
	if (symbolize->options.handle || symbolize->log)
		return true;
	if (!symbolize->refused)
		buildid_close(module_open(&symbolize->out));
	symbolize->refused = true;
	return false;
}

static void set_problem(struct named_address *named, enum address_problem problem)
{
	*named = (struct named_address){ .problem = problem };
}

static void find_in_process(struct symbolize *symbolize, const struct stack_address *address,
			    struct named_address *named)
{
	const struct stack_owner *owner = &address->owner;

	if (owner->pid && !(address->value >> 63) && !has_module(symbolize))
		set_problem(named, ADDRESS_FAILED);
	else if (owner->pid || address->value >> 63)
		namer_find(symbolize->namer, owner->pid, address->value,
			   owner->time ? owner->time : UINT64_MAX, address->caller, named);
	else
		set_problem(named, owner->ambiguous ? ADDRESS_AMBIGUOUS_PID : ADDRESS_NO_PID);
}

/*
 * Whether the text says "name (/file)" of another file: perf script 6.1 has offsets in files
 * for the callers, which look like addresses of a program that is not relocated.
 */
static bool is_elsewhere(const struct stack_block *block, const struct stack_address *address,
			 const struct named_address *named)
{
	const char *name = block->text + address->name_at, *end = name + address->name_length;
	const char *file, *base;

	if (named->problem != ADDRESS_LOCATED || address->value >= OFFSET_LIMIT || !named->path ||
	    *named->path != '/')
		return false;
	file = memmem(name, address->name_length, " (/", 3);
	if (!file)
		return false;
	base = basename(named->path);
	return !memmem(file, (size_t)(end - file), base, strlen(base));
}

/* What the text says of the content is certain, but only a file that has it has names. */
static void symbolize_find(struct symbolize *symbolize, const struct stack_block *block,
			   const struct stack_address *address, struct named_address *named)
{
	if (address->id.size)
		namer_find_in_content(symbolize->namer, &address->id, address->place,
				      address->is_elf_address, address->caller, named);
	if (!address->id.size ||
	    (!address->is_pair && !named->symbol.function && address->owner.pid)) {
		if (address->id.size)
			named_address_free(named);
		find_in_process(symbolize, address, named);
	}
	if (is_elsewhere(block, address, named)) {
		named_address_free(named);
		set_problem(named, ADDRESS_NO_MAPPING);
	}
	symbolize->problems[named->problem]++;
	symbolize->unnamed += named->problem == ADDRESS_LOCATED && !named->symbol.function;
}

/* The kernel's are right already: who printed the text had that kernel. */
static bool is_better(const struct named_address *named, const struct stack_block *block,
		      const struct stack_address *address)
{
	static const char unknown[] = "[unknown]";
	const char *name = block->text + address->name_at;

	if (named->problem != ADDRESS_LOCATED)
		return false;
	if (!address->name_length && !address->is_pair)
		return true;
	if (!named->symbol.function && !named->symbol.nr_into)
		return false;
	return !(address->value >> 63) ||
	       (address->name_length >= strlen(unknown) && !memcmp(name, unknown, strlen(unknown)));
}

/* In a string of JSON, which stays one. */
static void put_quoted(struct output *out, const struct named_address *named, bool pair)
{
	struct output plain = *out;

	plain.line = (struct output_line){};
	put_named(&plain, named, pair);
	out_bytes(&plain, "", 1);
	out_in_string(out, plain.line.text);
	out_free(&plain);
}

/*
 * Behind the address, in place of the name that it may have there: that may be from
 * another content with the same path. One without a better name keeps its own.
 */
static const char *symbolize_replace(struct output *out, const char *from,
				     const struct stack_address *address,
				     const struct stack_block *block,
				     const struct named_address *named)
{
	const char *end = block->text + address->at + address->length;
	const char *name = block->text + address->name_at;

	out_bytes(out, from, (size_t)(end - from));
	if (!is_better(named, block, address))
		return end;
	out->started = true;
	if (address->quoted)
		put_quoted(out, named, address->is_pair);
	else
		put_named(out, named, address->is_pair);
	return address->name_length ? name + address->name_length : end;
}

static void show_block(void *context, const struct stack_block *block)
{
	struct symbolize *symbolize = context;
	struct output *out = &symbolize->out;
	const char *from = block->text;
	struct named_address named;
	size_t i;

	symbolize->passed += block->nr_passed;
	for (i = 0; i < block->nr_addresses; i++) {
		const struct stack_address *address = &block->addresses[i];

		symbolize_find(symbolize, block, address, &named);
		if (out->json)
			show_line(out, address->owner.pid,
				  address->is_pair ? NULL : &address->value, &named);
		else
			from = symbolize_replace(out, from, address, block, &named);
		named_address_free(&named);
	}
	if (out->json)
		return;
	out_bytes(out, from, (size_t)(block->text + block->size - from));
	if (out->line.size > symbolize->at_once)
		out_flush(out);
}

static void report_count(uint64_t count, const char *what, const char *one, const char *more,
			 const char *why)
{
	if (count)
		fprintf(stderr, "buildid: symbolize: %" PRIu64 " %s%s%s\n", count, what,
			count > 1 ? more : one, why);
}

static void report_problems(const struct symbolize *symbolize)
{
	int i;

	for (i = ADDRESS_LOCATED + 1; i < ADDRESS_PROBLEMS; i++)
		report_count(symbolize->problems[i], "address",
			     " left as it is: ", "es left as they are: ",
			     address_problem_text((enum address_problem)i));
	report_count(symbolize->unnamed, "address", " has", "es have",
		     " no function, though it is known where");
	report_count(symbolize->passed, "word", " may be an address, but is",
		     "s may be addresses, but are", " not recognised");
}

/* bpftrace prints its maps when it is interrupted, and so is all of its pipeline. */
static void ignore_interrupts(void)
{
	if (!isatty(STDIN_FILENO))
		signal(SIGINT, SIG_IGN);
}

/* What was printed is to be seen before one waits for more. */
static bool refill(struct input *input)
{
	ssize_t size;

	if (!input->out->json)
		out_flush(input->out);
	fflush(stdout);
	do {
		size = read(STDIN_FILENO, input->buffer, sizeof(input->buffer));
	} while (size < 0 && errno == EINTR);
	if (size < 0)
		input->error = errno;
	input->at = 0;
	input->filled = size > 0 ? (size_t)size : 0;
	return size > 0;
}

/* Into the line that has @size bytes, up to its end or that of the buffer; whether it ended. */
static bool symbolize_take(struct input *input, size_t *size)
{
	const char *from = input->buffer + input->at, *newline;
	size_t part = input->filled - input->at;

	if (part > input->room - *size)
		part = input->room - *size;
	newline = memchr(from, '\n', part);
	if (newline)
		part = (size_t)(newline - from) + 1;
	memcpy(input->line + *size, from, part);
	*size += part;
	input->at += part;
	return newline;
}

static bool is_json(const char *line, size_t size)
{
	size_t i = 0;

	while (i < size && (line[i] == ' ' || line[i] == '\t'))
		i++;
	return i < size && (line[i] == '{' || line[i] == '[');
}

/* Room for more than the @size bytes that fill it; false when the line is too long. */
static bool symbolize_grow(struct input *input, size_t size)
{
	char *line;

	if (size >= LINE_MAX_TEXT &&
	    (size >= LINE_MAX_JSON || input->is_long || !is_json(input->line, size)))
		return false;
	line = realloc(input->line, 2 * size);
	if (!line)
		return false;
	input->line = line;
	input->room = 2 * size;
	return true;
}

static struct input *input_new(struct output *out)
{
	struct input *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->out = out;
	new->room = sizeof(new->buffer);
	new->line = malloc(new->room);
	if (new->line)
		return new;
	free(new);
	return NULL;
}

static void input_free(struct input *input)
{
	if (input)
		free(input->line);
	free(input);
}

/* A line, or the next piece of one that is too long. 0 at the end. */
static size_t read_line(struct input *input)
{
	bool ended = false;
	size_t size = 0;

	if (!input->is_long && input->room > LINE_MAX_TEXT)
		input->room = LINE_MAX_TEXT;
	while (!ended && (size < input->room || symbolize_grow(input, size)) &&
	       (input->at < input->filled || refill(input)))
		ended = symbolize_take(input, &size);
	input->is_piece = input->is_long;
	input->is_long = size == input->room && !ended;
	input->nr_long += input->is_long && !input->is_piece;
	input->is_piece |= input->is_long;
	return size;
}

/* False without memory, when all that was read is printed all the same. */
static bool pass_lines(struct stack_text *stack, struct input *input)
{
	bool good = true;
	size_t size;

	while (good && (size = read_line(input))) {
		good = input->is_piece || stack_text_add(stack, input->line, size);
		if (input->is_piece || !good)
			stack_text_pass(stack, input->line, size);
	}
	stack_text_end(stack);
	return good;
}

static int filter(struct symbolize *symbolize)
{
	struct input *input = input_new(&symbolize->out);
	struct stack_text *stack;
	bool good;

	symbolize->stack.show = show_block;
	symbolize->stack.context = symbolize;
	symbolize->at_once = isatty(STDOUT_FILENO) ? 0 : AT_ONCE;
	stack = stack_text_new(&symbolize->stack);
	ignore_interrupts();
	good = input && stack && pass_lines(stack, input);
	if (!good)
		out_error(&symbolize->out, "symbolize", "%s", strerror(ENOMEM));
	else if (input->error)
		out_error(&symbolize->out, "standard input", "%s", strerror(input->error));
	good = good && !input->error;
	stack_text_free(stack);
	out_flush(&symbolize->out);
	out_free(&symbolize->out);
	report_problems(symbolize);
	report_count(input ? input->nr_long : 0, "line", " is", "s are",
		     " too long, and not looked at: 1 MiB, of JSON 64 MiB");
	input_free(input);
	return good && !symbolize->refused ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* --------------------------------------------------------------- operands -- */

static const char *parse_pid(void *pid, const char *text)
{
	uint64_t number;

	if (!args_number(text, &number) || !number || number > INT32_MAX)
		return "not a process id";
	*(uint32_t *)pid = (uint32_t)number;
	return NULL;
}

static bool parse_address(const char *text, uint64_t *addr)
{
	char *end;

	if (!strncmp(text, "0x", 2))
		text += 2;
	if (!*text || strspn(text, "0123456789abcdefABCDEF") != strlen(text) || strlen(text) > 16)
		return false;
	*addr = strtoull(text, &end, 16);
	return true;
}

static uint32_t check_operands(char **operands)
{
	const char *problem;
	uint32_t pid = 0;
	uint64_t addr;

	if (!*operands)
		return 0;
	problem = parse_pid(&pid, *operands);
	if (problem)
		args_error(*operands, problem);
	if (!operands[1])
		args_error("ADDR", "missing operand");
	while (*++operands)
		if (!parse_address(*operands, &addr))
			args_error(*operands, "not an address in hex");
	return pid;
}

static int show_operands(struct symbolize *symbolize, uint32_t pid, char **addresses)
{
	struct named_address named;
	int status = EXIT_SUCCESS;
	uint64_t addr;

	for (; *addresses; addresses++) {
		if (!parse_address(*addresses, &addr))
			continue;
		namer_find(symbolize->namer, pid, addr, UINT64_MAX, false, &named);
		show_line(&symbolize->out, pid, &addr, &named);
		if (named.problem != ADDRESS_LOCATED)
			status = EXIT_FAILURE;
		named_address_free(&named);
	}
	return status;
}

/* ------------------------------------------------------------------- main -- */

static bool read_log(struct symbolize *symbolize)
{
	enum perfdata_clock clock = symbolize->mono ? PERFDATA_CLOCK_MONO : PERFDATA_CLOCK_PERF;
	struct reason reason;

	symbolize->options.recorded = recorded_mappings_read(symbolize->log, clock, &reason);
	if (*reason.text)
		out_error(&symbolize->out, symbolize->log, "%s", reason.text);
	else if (recorded_mappings_lost(symbolize->options.recorded))
		fprintf(stderr,
			"buildid: %s: %" PRIu64 " records were lost; names may be missing or old\n",
			symbolize->log, recorded_mappings_lost(symbolize->options.recorded));
	if (symbolize->options.recorded && recorded_mappings_by_perf(symbolize->options.recorded))
		source_note_log("symbolize", symbolize->log);
	return symbolize->options.recorded;
}

/* With a log the module is asked only for what that does not know, if it is there. */
static bool symbolize_prepare(struct symbolize *symbolize, bool needed)
{
	struct namer_options *options = &symbolize->options;

	if (symbolize->log && !read_log(symbolize))
		return false;
	if ((symbolize->log && !recorded_mappings_now(options->recorded)) ||
	    buildid_open(&options->handle))
		options->handle = NULL;
	if (needed && !has_module(symbolize))
		return false;
	symbolize->namer = namer_new(options);
	if (!symbolize->namer)
		out_error(&symbolize->out, "symbolize", "%s", strerror(ENOMEM));
	return symbolize->namer;
}

static int symbolize_run(struct symbolize *symbolize, uint32_t pid, char **operands)
{
	int status = EXIT_FAILURE;

	if (symbolize_prepare(symbolize, pid))
		status = pid ? show_operands(symbolize, pid, operands + 1) : filter(symbolize);
	namer_free(symbolize->namer);
	recorded_mappings_free(symbolize->options.recorded);
	buildid_close(symbolize->options.handle);
	return status;
}

static const char *parse_field(void *field, const char *text)
{
	uint64_t number;

	if (!args_number(text, &number) || !number || number > UINT16_MAX)
		return "not the number of a word, from 1";
	*(uint32_t *)field = (uint32_t)number;
	return NULL;
}

static const char *parse_clock(void *context, const char *text)
{
	struct symbolize *symbolize = context;

	symbolize->mono = !strcmp(text, "mono");
	symbolize->perf = !strcmp(text, "perf");
	return symbolize->mono || symbolize->perf ? NULL : "not one of perf and mono";
}

int cmd_symbolize(int argc, char **argv)
{
	struct symbolize symbolize = {};
	const struct args_option options[] = {
		OPTION_LOG(&symbolize.log),
		{ "process", 0, "PID", "all addresses are of this process", .parse = parse_pid,
		  .to = &symbolize.stack.pid },
		{ "pid-field", 0, "N", "the pid is the Nth word of the line or key that has it",
		  .parse = parse_field, .to = &symbolize.stack.pid_field },
		{ "time-field", 0, "N",
		  "likewise the time, as bpftrace's nsecs: with --log, what was mapped then",
		  .parse = parse_field, .to = &symbolize.stack.time_field },
		{ "clock", 0, "CLOCK",
		  "of these times: perf, as perf script has them, or mono, as of perf record -k "
		  "mono and of --time-field",
		  .parse = parse_clock, .to = &symbolize },
		{ "no-demangle", 0, NULL, "names of C++, Rust and D as they are in the file",
		  .flag = &symbolize.options.files.raw },
		OPTION_DIR(&symbolize.options.files.directory),
		OPTION_NO_DEBUGINFOD(&symbolize.options.files.no_servers),
		{},
	};
	const struct args args = {
		.command = "symbolize",
		.operands = "\nPID ADDR...",
		.max_operands = ARGS_ANY,
		.help = help,
		.examples = examples,
		.options = options,
		.out = &symbolize.out,
	};
	char **operands = args_parse(&args, argc, argv);
	uint32_t pid = check_operands(operands);

	if (symbolize.log && !strcmp(symbolize.log, "-") && !pid)
		args_error("-", "the text is on standard input");
	symbolize.mono |= symbolize.stack.time_field && !symbolize.perf;
	supervise();
	return symbolize_run(&symbolize, pid, operands);
}
