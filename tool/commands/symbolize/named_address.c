// SPDX-License-Identifier: GPL-2.0
/* Named address: first finds the file and the offset, then the symbol in a file with that id. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/hash_map.h"
#include "common/process_stat.h"
#include "content/elf_file.h"
#include "content/kallsyms.h"
#include "content/moved_code.h"
#include "content/perf_map.h"
#include "content/process_maps.h"
#include "content/running_kernel.h"
#include "content/vdso.h"
#include "named_address.h"

/* Cached addresses of exited processes, for less time than it takes to reuse a pid. */
struct remembered {
	uint32_t pid;
	uint64_t start_time;
	uint64_t addr;
	uint64_t until; /* CLOCK_MONOTONIC */
	struct file_version version;
	struct named_address named;
};

/* The perf map of a process's JIT compiler, or that there is none. */
struct compiled {
	uint32_t pid;
	uint64_t start; /* as of struct process_stat */
	uint64_t until; /* CLOCK_MONOTONIC */
	uint64_t used;	/* of struct namer */
	struct perf_map *map;
};

/* A power of two. */
#define REMEMBERED 4096
/* Processes with a JIT compiler; each may have megabytes. */
#define COMPILED 16
/* Limit for all of them except the one in use. */
#define COMPILED_BYTES (512U << 20)
/* A map that takes long to read is not read again for this many times as long. */
#define READING_SHARE 20
/* Nanoseconds. */
#define REMEMBER_FOR 1000000000ULL
/* Nanoseconds: modules come and go. */
#define KALLSYMS_FOR 30000000000ULL

/* The last exited process asked about: the library caches what is known of it. */
struct exited {
	uint32_t pid;
	uint64_t start_time;
	uint64_t until; /* as above */
};

struct namer {
	struct remembered remembered[REMEMBERED];
	struct exited exited;
	struct compiled compiled[COMPILED];
	uint64_t uses; /* of these */
	struct namer_options options;
	struct symbol_files *files;
	struct kallsyms *kallsyms;
	uint64_t kallsyms_at;  /* CLOCK_MONOTONIC, 0 for never */
	struct reason unnamed; /* of the last address */
	unsigned char buffer[BUILDID_RECORD_MAX] __attribute__((aligned(8)));
};

/* An address as it is looked up. */
struct query {
	struct namer *namer;
	uint32_t pid;
	uint64_t start_time; /* 0 for any process with the pid */
	uint64_t addr;
	uint64_t mapped; /* where its file is mapped, usually the address itself */
	uint64_t time;
	bool caller;
	bool living;
	struct file_version version;
	struct named_address *named;
};

struct namer *namer_new(const struct namer_options *options)
{
	struct namer *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->options = *options;
	new->options.files.module = options->handle;
	new->files = symbol_files_new(&new->options.files);
	if (new->files)
		return new;
	free(new);
	return NULL;
}

void namer_free(struct namer *namer)
{
	size_t i;

	if (!namer)
		return;
	for (i = 0; i < REMEMBERED; i++)
		free(namer->remembered[i].named.path);
	for (i = 0; i < COMPILED; i++)
		perf_map_free(namer->compiled[i].map);
	symbol_files_free(namer->files);
	kallsyms_free(namer->kallsyms);
	free(namer);
}

void named_address_free(struct named_address *named)
{
	free(named->path);
	free(named->member);
}

const char *address_problem_text(enum address_problem problem)
{
	static const char *const texts[ADDRESS_PROBLEMS] = {
		[ADDRESS_LOCATED] = "",
		[ADDRESS_NO_PID] = "no pid is there; see --process",
		[ADDRESS_AMBIGUOUS_PID] = "which number is the pid is not clear; see --pid-field",
		[ADDRESS_NO_PROCESS] = "the process is not known",
		[ADDRESS_NO_MAPPING] = "no file is mapped there, or it is not remembered",
		[ADDRESS_NO_KERNEL] = "the kernel's symbols are not available",
		[ADDRESS_NOT_PERMITTED] = "not permitted; run as root, or with CAP_PERFMON",
		[ADDRESS_FAILED] = "the module cannot be asked",
	};

	return texts[problem];
}

/* ----------------------------------------------------------------- kernel -- */

static bool is_kernel(uint64_t addr)
{
	return addr >> 63;
}

static struct kallsyms *kallsyms_of(struct namer *namer)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct reason unused;

	if (namer->kallsyms_at && now - namer->kallsyms_at < KALLSYMS_FOR)
		return namer->kallsyms;
	kallsyms_free(namer->kallsyms);
	namer->kallsyms = kallsyms_new(&unused);
	namer->kallsyms_at = now;
	return namer->kallsyms;
}

static char *module_path(const char *module)
{
	char *path = NULL;

	if (asprintf(&path, "[%s]", module) < 0)
		return NULL;
	return path;
}

/* In a log of another boot, the kernel was elsewhere. */
static void find_in_kernel(struct query *query)
{
	const struct recorded_mappings *recorded = query->namer->options.recorded;
	struct named_address *named = query->named;
	const struct kallsyms *kallsyms = NULL;
	const struct kallsym *symbol;
	uint64_t addr = query->addr - query->caller;

	if (!recorded || recorded_mappings_now(recorded))
		kallsyms = kallsyms_of(query->namer);
	symbol = kallsyms ? kallsyms_find(kallsyms, addr) : NULL;
	named->problem = symbol	  ? ADDRESS_LOCATED :
			 kallsyms ? ADDRESS_NO_MAPPING :
				    ADDRESS_NO_KERNEL;
	if (!symbol)
		return;
	named->path = symbol->module ? module_path(symbol->module) : strdup("[kernel.kallsyms]");
	if (!symbol->module && running_kernel_build_id(&named->identity.id))
		named->identity.kind = BUILDID_KIND_GNU;
	named->offset = query->addr;
	named->known_from = "kernel";
	named->symbols_from = "kernel";
	named->symbol.function = symbol->name;
	named->symbol.function_offset = query->addr - symbol->start;
}

/* ---------------------------------------------------------------- address -- */

/*
 * A program or a library that begins with code, as on arm64, is mapped as a whole, and that is
 * recorded. What is not code is then replaced or unmapped, without a record: the vdso may end up
 * where ld.so was. Without the module no size is known.
 */
static bool is_past_end(uint16_t kind, uint64_t size, uint64_t offset)
{
	return kind == BUILDID_KIND_GNU && size && offset >= size;
}

/* False if the log has no answer. */
static bool find_in_log(struct query *query)
{
	struct named_address *named = query->named;
	struct recorded_file file;

	switch (recorded_mappings_find(query->namer->options.recorded, query->pid, query->addr,
				       query->time, &file)) {
	case RECORDED_NO_PROCESS:
		named->problem = ADDRESS_NO_PROCESS;
		return false;
	case RECORDED_NO_MAPPING:
		named->problem = ADDRESS_NO_MAPPING;
		return false;
	default:
		named->problem = ADDRESS_NO_MAPPING;
		if (is_past_end(file.identity.kind, file.version.size, file.offset))
			return false;
		named->problem = ADDRESS_LOCATED;
		named->path = strdup(file.path);
		named->identity = file.identity;
		query->version = file.version;
		named->offset = file.offset;
		named->known_from = "log";
		return true;
	}
}

static enum address_problem problem_of(int err)
{
	switch (err) {
	case 0:
		return ADDRESS_LOCATED;
	case -ESRCH:
		return ADDRESS_NO_PROCESS;
	case -ENOENT:
		return ADDRESS_NO_MAPPING;
	case -EPERM:
		return ADDRESS_NOT_PERMITTED;
	default:
		return ADDRESS_FAILED;
	}
}

static void set_identity(struct identity *identity, const struct buildid_file *file)
{
	const uint8_t *bytes;
	size_t size;

	identity->kind = file->kind;
	identity->reason = file->reason;
	bytes = buildid_file_id_bytes(file, &size);
	if (bytes)
		build_id_set(&identity->id, bytes, size);
}

/* The start time of the process that had the pid; 0 if it has to be looked up. */
static uint64_t exited_start_time(const struct namer *namer, uint32_t pid)
{
	const struct exited *exited = &namer->exited;

	return exited->pid == pid && clock_ns(CLOCK_MONOTONIC) < exited->until ?
		       exited->start_time :
		       0;
}

static void find_by_module(struct query *query)
{
	struct namer *namer = query->namer;
	struct named_address *named = query->named;
	struct buildid_address address = {
		.size = sizeof(address),
		.pid = query->pid,
		.addr = query->mapped,
		.start_time = query->start_time,
	};
	const struct buildid_file *file;
	const char *path;
	bool any;
	int err;

	if (!query->start_time)
		address.start_time = exited_start_time(namer, query->pid);
	any = !address.start_time;
	err = buildid_resolve_addr(namer->options.handle, &address, namer->buffer,
				   sizeof(namer->buffer), &file);
	named->problem = problem_of(err);
	if (err)
		return;
	query->living = !(address.source & BUILDID_ADDR_HISTORY);
	if (!query->living && any)
		namer->exited = (struct exited){ address.pid, address.start_time,
						 clock_ns(CLOCK_MONOTONIC) + REMEMBER_FOR };
	if (!query->living && is_past_end(file->kind, file->file_size, address.offset)) {
		named->problem = ADDRESS_NO_MAPPING;
		return;
	}
	path = buildid_file_path(file);
	named->path = strdup(path ? path : "");
	set_identity(&named->identity, file);
	file_version_set(&query->version, file);
	named->offset = address.offset;
	named->known_from = query->living ? "process" : "history";
}

static struct remembered *remembered_at(const struct query *query)
{
	const uint64_t key[] = { query->pid, query->addr };
	uint64_t hash = hash_bytes(hash_start(), key, sizeof(key));

	return &query->namer->remembered[(hash ^ hash >> 32) % REMEMBERED];
}

static bool find_remembered(struct query *query)
{
	const struct remembered *at = remembered_at(query);

	if (at->pid != query->pid || at->start_time != query->start_time ||
	    at->addr != query->addr || clock_ns(CLOCK_MONOTONIC) >= at->until)
		return false;
	*query->named = at->named;
	query->version = at->version;
	query->named->path = strdup(at->named.path);
	return true;
}

static void named_address_remember(const struct query *query)
{
	struct remembered *at = remembered_at(query);
	char *path = query->named->path ? strdup(query->named->path) : NULL;

	if (query->living || query->named->problem != ADDRESS_LOCATED || !path) {
		free(path);
		return;
	}
	free(at->named.path);
	*at = (struct remembered){
		.pid = query->pid,
		.start_time = query->start_time,
		.addr = query->addr,
		.until = clock_ns(CLOCK_MONOTONIC) + REMEMBER_FOR,
		.version = query->version,
		.named = *query->named,
	};
	at->named.path = path;
}

/* Whether the process that has the pid now is the right one. */
static bool is_there(const struct query *query)
{
	return !query->start_time || process_is_there((pid_t)query->pid, query->start_time);
}

/* The vdso is not a file, so neither module nor log have it. */
static void find_vdso(struct query *query)
{
	struct named_address *named = query->named;
	uint64_t start, end;
	int fd;

	if (!is_there(query) || !vdso_find(query->pid, &start, &end) || query->addr < start ||
	    query->addr >= end)
		return;
	fd = vdso_copy(query->pid, start, end);
	if (fd < 0)
		return;
	if (elf_file_build_id(fd, &named->identity.id)) {
		named->problem = ADDRESS_LOCATED;
		named->identity.kind = BUILDID_KIND_GNU;
		named->path = strdup("[vdso]");
		named->offset = query->addr - start;
		named->known_from = "process";
		query->living = true;
	}
	close(fd);
}

/* With a log, this is what was there first. */
static bool may_be_in_no_file(const struct query *query)
{
	const struct named_address *named = query->named;

	if (named->problem == ADDRESS_NO_MAPPING)
		return is_there(query);
	return named->problem == ADDRESS_LOCATED && query->living &&
	       named->identity.kind == BUILDID_KIND_NONE;
}

/* Code that a living process has moved, found by its original file. */
static bool find_moved(struct query *query)
{
	struct named_address *named = query->named, here = *named;
	const struct file_version version = query->version;
	struct moved_code moved;

	if (!moved_code_find(query->pid, query->addr, &moved))
		return false;
	*named = (struct named_address){};
	query->mapped = moved.beside;
	find_by_module(query);
	if (named->problem == ADDRESS_LOCATED && query->living) {
		named->offset = moved.offset;
		free(here.path);
		return true;
	}
	free(named->path);
	*named = here;
	query->version = version;
	query->mapped = query->addr;
	return false;
}

static bool is_executed(uint32_t pid, uint64_t addr)
{
	struct process_mapping mapping;
	struct process_maps maps;
	bool is = false;

	if (!process_maps_open(&maps, pid))
		return false;
	while (!is && process_maps_next(&maps, &mapping))
		is = mapping.executable && addr >= mapping.start && addr < mapping.end;
	process_maps_close(&maps);
	return is;
}

/* The one of the process, or the one to use for it. */
static struct compiled *compiled_at(struct namer *namer, uint32_t pid)
{
	struct compiled *least = namer->compiled;
	size_t i;

	for (i = 0; i < COMPILED; i++) {
		if (namer->compiled[i].pid == pid)
			return &namer->compiled[i];
		if (namer->compiled[i].used < least->used)
			least = &namer->compiled[i];
	}
	return least;
}

static void forget_compiled(struct compiled *compiled)
{
	perf_map_free(compiled->map);
	*compiled = (struct compiled){};
}

/* Drop the least recently used ones, until there is room for what may be read next. */
static void limit_compiled(struct namer *namer, const struct compiled *kept)
{
	struct compiled *least;
	size_t bytes, i;

	do {
		least = NULL;
		for (bytes = 0, i = 0; i < COMPILED; i++) {
			struct compiled *each = &namer->compiled[i];

			if (each == kept || !each->map)
				continue;
			bytes += perf_map_bytes(each->map);
			if (!least || each->used < least->used)
				least = each;
		}
		if (bytes > COMPILED_BYTES)
			forget_compiled(least);
	} while (bytes > COMPILED_BYTES);
}

static void read_compiled(struct compiled *compiled, uint32_t pid, uint64_t start)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC), now, pause;

	forget_compiled(compiled);
	compiled->pid = pid;
	compiled->start = start;
	compiled->map = perf_map_read(pid);
	now = clock_ns(CLOCK_MONOTONIC);
	pause = (now - begun) * READING_SHARE;
	compiled->until = now + (pause > REMEMBER_FOR ? pause : REMEMBER_FOR);
}

/* Read again if the file has changed, as it may with each new function. */
static const struct perf_map *compiled_by(struct namer *namer, uint32_t pid)
{
	struct compiled *compiled = compiled_at(namer, pid);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct process_stat stat;

	if (!process_stat_read((pid_t)pid, &stat))
		return NULL;
	compiled->used = ++namer->uses;
	if (compiled->pid == pid && compiled->start == stat.start) {
		if (now < compiled->until)
			return compiled->map;
		compiled->until = now + REMEMBER_FOR;
		if (compiled->map && perf_map_is_current(compiled->map, pid))
			return compiled->map;
	}
	read_compiled(compiled, pid, stat.start);
	compiled->used = namer->uses;
	limit_compiled(namer, compiled);
	return compiled->map;
}

static void find_compiled(struct query *query)
{
	struct named_address *named = query->named;
	const struct perf_map *map = compiled_by(query->namer, query->pid);
	const struct perf_map_entry *entry;

	entry = map ? perf_map_find(map, query->addr - query->caller) : NULL;
	if (!entry || !is_executed(query->pid, query->addr - query->caller))
		return;
	free(named->path);
	*named = (struct named_address){
		.problem = ADDRESS_LOCATED,
		.path = strdup(perf_map_path(map)),
		.identity.reason = BUILDID_REASON_ANONYMOUS,
		.offset = query->addr,
		.known_from = "process",
		.symbol.function = entry->name,
		.symbol.function_offset = query->addr - entry->start,
		.symbols_from = "perf-map",
	};
}

/* Look further unless the log knows the process. False if the log has the whole answer. */
static bool goes_on_behind_log(struct query *query)
{
	const struct recorded_mappings *recorded = query->namer->options.recorded;

	if (find_in_log(query))
		return false;
	/* Pids of another boot are not valid now. */
	if (!recorded_mappings_now(recorded))
		return false;
	return query->named->problem == ADDRESS_NO_PROCESS ||
	       recorded_mappings_last(recorded, query->pid, query->time, &query->start_time);
}

static void find_file(struct query *query)
{
	const struct namer_options *options = &query->namer->options;

	if (options->recorded && !goes_on_behind_log(query))
		return;
	if (options->handle && !find_remembered(query)) {
		find_by_module(query);
		named_address_remember(query);
	}
	if (query->named->problem == ADDRESS_NO_MAPPING)
		find_vdso(query);
	if (may_be_in_no_file(query) && !(options->handle && find_moved(query)))
		find_compiled(query);
}

/* A library in an APK has symbols, and usually an id, while the whole file has none. */
static void look_inside(struct query *query, struct symbol_place *place)
{
	struct named_address *named = query->named;
	struct elf_member member;

	if (named->identity.kind == BUILDID_KIND_GNU || named->identity.kind == BUILDID_KIND_GO ||
	    !symbol_files_look_inside(query->namer->files, place, &member))
		return;
	named->embedded = true;
	named->member = member.elf.name;
	named->member_offset = named->offset - member.elf.start;
	if (member.kind != BUILDID_KIND_NONE)
		named->identity = (struct identity){ .kind = member.kind, .id = member.id };
	if (member.kind == BUILDID_KIND_GNU)
		place->id = member.id;
	place->inside = member.elf;
	place->offset -= member.elf.start;
}

static void name_it(struct query *query)
{
	struct named_address *named = query->named;
	bool gnu = named->identity.kind == BUILDID_KIND_GNU;
	bool before = query->caller && named->offset;
	struct symbol_place place = {
		.id = gnu ? named->identity.id : (struct build_id){},
		.version = query->version,
		.path = named->path ? named->path : "",
		.vdso = named->path && !strcmp(named->path, "[vdso]"),
		.pid = query->pid,
		.addr = query->living ? query->mapped : 0,
		.offset = named->offset - before,
	};

	look_inside(query, &place);
	if (symbol_files_find(query->namer->files, &place, &named->symbol, &named->symbols_from,
			      &query->namer->unnamed))
		named->symbol.function_offset += before;
	else
		named->unnamed = query->namer->unnamed.text;
}

void namer_find(struct namer *namer, uint32_t pid, uint64_t addr, uint64_t time, bool caller,
		struct named_address *named)
{
	struct query query = {
		.namer = namer,
		.pid = pid,
		.addr = addr,
		.mapped = addr,
		.time = time,
		.caller = caller,
		.named = named,
	};

	*named = (struct named_address){ .problem = ADDRESS_NO_PROCESS };
	if (is_kernel(addr)) {
		find_in_kernel(&query);
		return;
	}
	find_file(&query);
	if (named->problem == ADDRESS_LOCATED && !named->symbols_from)
		name_it(&query);
}

/* In stacks the kernel pads any shorter build-id to 20 bytes with zeros. */
static size_t shorter_size(const struct build_id *id)
{
	static const uint8_t zeros[20];
	size_t size = id->size == 20 ? 16 : id->size == 16 ? 8 : 0;

	return size && !memcmp(id->bytes + size, zeros, id->size - size) ? size : 0;
}

void namer_find_in_content(struct namer *namer, const struct build_id *id, uint64_t place,
			   bool is_elf_address, bool caller, struct named_address *named)
{
	struct symbol_place at = {
		.id = *id,
		.path = "",
		.offset = place - (caller && place),
		.is_elf_address = is_elf_address,
	};
	bool found = false;

	*named = (struct named_address){
		.problem = ADDRESS_LOCATED,
		.identity = { .kind = BUILDID_KIND_GNU, .id = *id },
		.offset = place,
		.known_from = "text",
	};
	for (; at.id.size && !found; at.id.size = named->symbols_from ? 0 : shorter_size(&at.id)) {
		found = symbol_files_find(namer->files, &at, &named->symbol, &named->symbols_from,
					  &namer->unnamed);
		if (named->symbols_from)
			named->identity.id = at.id;
	}
	if (found)
		named->symbol.function_offset += place - at.offset;
	else
		named->unnamed = namer->unnamed.text;
}
