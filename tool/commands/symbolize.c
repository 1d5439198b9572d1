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

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "common/supervise.h"
#include "module.h"
#include "named_address.h"
#include "options.h"
#include "print.h"
#include "stack_text.h"

static const char help[] =
	"Name the addresses in what bpftrace and perf script print: function, file, offset in "
	"it, build-id and, with debug info, the source line, also when the process has exited "
	"or the file was deleted or replaced. All other text is passed through as it is, line "
	"by line. With operands: print a line for each ADDR, in hex, of process PID.\v"
	"An address is a word 0x... anywhere; the first word of an indented line \"7f12 name "
	"(file)\"; in a line of perf script that before \"name (file)\"; and each word of "
	"8 digits or more in a line \"PID ADDR...\". Its process is the one named last before "
	"it, in its line or the nearest above that is not indented, or in the key @[...] that "
	"it is in: the number after \"pid\" or \"tgid\", else the only number there, and in "
	"lines of perf script the word before the time (which is a thread; use perf script -F "
	"+pid). Words are separated by blanks and ,;:=|()[]{}\"'. Within the indented lines "
	"of a stack all but the first are return addresses: what is named is the call.\n\n"
	"Exit status: 1 when an ADDR given as operand is in no file that is known.";

struct symbolize {
	struct output out;
	struct namer_options options;
	struct stack_options stack;
	struct namer *namer;
	const char *log;
	bool mono;
	bool perf;
	uint64_t problems[ADDRESS_PROBLEMS];
};

/* Standard input, in memory that does not depend on it. */
struct input {
	char line[1 << 20];
	bool is_long;  /* and goes on */
	bool is_piece; /* and not a whole line */
	int error;
};

/* ----------------------------------------------------------------- output -- */

/* "name+0x12 (/path+0x1139) 12ab source.c:7", each part as far as it is known. */
static void put_function(struct output *out, const struct symbol *symbol)
{
	char *text = NULL;

	if (symbol->function &&
	    asprintf(&text, "%s+0x%" PRIx64, symbol->function, symbol->function_offset) < 0)
		text = NULL;
	out_string(out, NULL, 0, text ? text : "[unknown]");
	free(text);
	out_string(out, "function", OUT_HIDDEN, symbol->function);
	if (symbol->function)
		out_number(out, "function_offset", OUT_HIDDEN, symbol->function_offset);
	else
		out_null(out, "function_offset");
}

static void put_file(struct output *out, const struct named_address *named)
{
	char *text = NULL;

	if (asprintf(&text, "(%s+0x%" PRIx64 ")", named->path && *named->path ? named->path : "?",
		     named->offset) < 0)
		text = NULL;
	out_string(out, NULL, 0, text);
	free(text);
	out_string(out, "path", OUT_HIDDEN, named->path && *named->path ? named->path : NULL);
	out_address(out, "offset", OUT_HIDDEN, named->offset);
}

static void put_identity(struct output *out, const struct identity *identity)
{
	char text[PRINT_ID_MAX], hex[BUILD_ID_TEXT];

	out_styled(out, identity->id.size ? OUT_GOOD : OUT_WEAK, NULL, 0,
		   print_identity(identity, text));
	out_string(out, "build_id", OUT_HIDDEN,
		   identity->id.size ? build_id_text(&identity->id, hex) : NULL);
	out_string(out, "kind", OUT_HIDDEN, buildid_kind_name(identity->kind));
	out_string(out, "reason", OUT_HIDDEN, buildid_reason_name(identity->reason));
}

static void put_source(struct output *out, const struct symbol *symbol)
{
	char *text = NULL;

	if (symbol->source && asprintf(&text, "%s:%" PRIu32, symbol->source, symbol->line) < 0)
		text = NULL;
	if (text)
		out_string(out, NULL, 0, text);
	free(text);
	out_string(out, "source", OUT_HIDDEN, symbol->source);
	if (symbol->source)
		out_number(out, "line", OUT_HIDDEN, symbol->line);
	else
		out_null(out, "line");
}

/* How it is known, in JSON only, and why not. */
static void put_origin(struct output *out, const struct named_address *named)
{
	const char *problem = NULL;

	if (named->problem != ADDRESS_LOCATED)
		problem = address_problem_text(named->problem);
	else if (!named->symbol.function)
		problem = named->unnamed.text;
	out_string(out, "known_from", OUT_HIDDEN, named->known_from);
	out_string(out, "symbols_from", OUT_HIDDEN, named->symbols_from);
	out_string(out, "problem", OUT_HIDDEN, problem);
}

static void put_named(struct output *out, const struct named_address *named)
{
	put_function(out, &named->symbol);
	put_file(out, named);
	put_identity(out, &named->identity);
	put_source(out, &named->symbol);
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
	out_null(out, "source");
	out_null(out, "line");
	put_origin(out, named);
	out_string(out, NULL, 0, address_problem_text(named->problem));
}

static void show_line(struct output *out, uint32_t pid, uint64_t addr,
		      const struct named_address *named)
{
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "symbol");
	if (pid)
		out_number(out, "pid", 0, pid);
	else
		out_null(out, "pid");
	out_address(out, "addr", 0, addr);
	if (named->problem == ADDRESS_LOCATED)
		put_named(out, named);
	else
		put_unknown(out, named);
	out_end(out);
}

/* ------------------------------------------------------------------- text -- */

static void find(struct symbolize *symbolize, const struct stack_block *block,
		 const struct stack_address *address, struct named_address *named)
{
	*named = (struct named_address){};
	if (block->pid || address->value >> 63)
		namer_find(symbolize->namer, block->pid, address->value,
			   block->time ? block->time : UINT64_MAX, address->caller, named);
	else
		named->problem = block->ambiguous ? ADDRESS_AMBIGUOUS_PID : ADDRESS_NO_PID;
	symbolize->problems[named->problem]++;
}

/* The kernel's are right already: who printed the text had that kernel. */
static bool is_better(const struct named_address *named, const struct stack_block *block,
		      const struct stack_address *address)
{
	static const char unknown[] = "[unknown]";
	const char *name = block->text + address->name_at;

	if (named->problem != ADDRESS_LOCATED)
		return false;
	if (!address->name_length)
		return true;
	if (!named->symbol.function)
		return false;
	return !(address->value >> 63) ||
	       (address->name_length >= strlen(unknown) && !memcmp(name, unknown, strlen(unknown)));
}

/*
 * Behind the address, in place of the name that it may have there: that may be from
 * another content with the same path. One without a better name keeps its own.
 */
static const char *replace(struct output *out, const char *from,
			   const struct stack_address *address, const struct stack_block *block,
			   const struct named_address *named)
{
	const char *end = block->text + address->at + address->length;
	const char *name = block->text + address->name_at;
	FILE *file = out->file;

	fwrite(from, 1, (size_t)(end - from), file);
	if (!is_better(named, block, address))
		return end;
	out->started = true;
	put_named(out, named);
	return address->name_length ? name + address->name_length : end;
}

static void show_block(void *context, const struct stack_block *block)
{
	struct symbolize *symbolize = context;
	struct output *out = &symbolize->out;
	const char *from = block->text;
	struct named_address named;
	size_t i;

	for (i = 0; i < block->nr_addresses; i++) {
		find(symbolize, block, &block->addresses[i], &named);
		if (out->json)
			show_line(out, block->pid, block->addresses[i].value, &named);
		else
			from = replace(out, from, &block->addresses[i], block, &named);
		named_address_free(&named);
	}
	if (!out->json)
		fwrite(from, 1, (size_t)(block->text + block->size - from), out->file);
	fflush(out->file);
}

static void report_problems(const struct symbolize *symbolize)
{
	int i;

	for (i = ADDRESS_LOCATED + 1; i < ADDRESS_PROBLEMS; i++)
		if (symbolize->problems[i])
			fprintf(stderr,
				"buildid: symbolize: %" PRIu64 " address%s left as %s: %s\n",
				symbolize->problems[i], symbolize->problems[i] > 1 ? "es" : "",
				symbolize->problems[i] > 1 ? "they are" : "it is",
				address_problem_text((enum address_problem)i));
}

/* bpftrace prints its maps when it is interrupted, and so is all of its pipeline. */
static void ignore_interrupts(void)
{
	if (!isatty(STDIN_FILENO))
		signal(SIGINT, SIG_IGN);
}

/* A line, or the next piece of one that is longer than @input->line. 0 at the end. */
static size_t read_line(struct input *input)
{
	size_t size = 0;
	int byte = 0;

	while (size < sizeof(input->line) && byte != '\n' && (byte = getc_unlocked(stdin)) != EOF)
		input->line[size++] = (char)byte;
	if (byte == EOF && ferror(stdin))
		input->error = errno;
	input->is_piece = input->is_long;
	input->is_long = size == sizeof(input->line) && byte != '\n';
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
	struct input *input = calloc(1, sizeof(*input));
	struct stack_text *stack;
	bool good;

	symbolize->stack.show = show_block;
	symbolize->stack.context = symbolize;
	stack = stack_text_new(&symbolize->stack);
	ignore_interrupts();
	good = input && stack && pass_lines(stack, input);
	if (!good)
		out_error(&symbolize->out, "symbolize", "%s", strerror(ENOMEM));
	else if (input->error)
		out_error(&symbolize->out, "standard input", "%s", strerror(input->error));
	good = good && !input->error;
	stack_text_free(stack);
	free(input);
	report_problems(symbolize);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
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
		show_line(&symbolize->out, pid, addr, &named);
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
	return symbolize->options.recorded;
}

/* With a log the module is asked only for what that does not know, if it is there. */
static bool prepare(struct symbolize *symbolize)
{
	struct namer_options *options = &symbolize->options;

	if (symbolize->log && !read_log(symbolize))
		return false;
	if (!symbolize->log)
		options->handle = module_open(&symbolize->out);
	else if (!recorded_mappings_now(options->recorded) || buildid_open(&options->handle))
		options->handle = NULL;
	if (!symbolize->log && !options->handle)
		return false;
	symbolize->namer = namer_new(options);
	if (!symbolize->namer)
		out_error(&symbolize->out, "symbolize", "%s", strerror(ENOMEM));
	return symbolize->namer;
}

static int run(struct symbolize *symbolize, uint32_t pid, char **operands)
{
	int status = EXIT_FAILURE;

	if (prepare(symbolize))
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
		{ "no-demangle", 0, NULL, "names of C++ as they are in the file",
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
		.options = options,
		.out = &symbolize.out,
	};
	char **operands = args_parse(&args, argc, argv);
	uint32_t pid = check_operands(operands);

	if (symbolize.log && !strcmp(symbolize.log, "-") && !pid)
		args_error("-", "the text is on standard input");
	symbolize.mono |= symbolize.stack.time_field && !symbolize.perf;
	supervise();
	return run(&symbolize, pid, operands);
}
