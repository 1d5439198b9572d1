/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Named address: what an address of a process stands for. From a log if there is one, else, or if
 * that has no answer, from the module: for living processes, and for a while for exited ones.
 */
#ifndef TOOL_NAMED_ADDRESS_H
#define TOOL_NAMED_ADDRESS_H

#include "content/symbol_files.h"
#include "identities/recorded_mappings.h"
#include "libbuildid/libbuildid.h"

struct namer_options {
	struct symbol_files_options files;
	struct recorded_mappings *recorded; /* or NULL; owned by the caller */
	struct buildid *handle;		    /* or NULL; owned by the caller */
};

enum address_problem {
	ADDRESS_LOCATED, /* whether a function is known or not */
	ADDRESS_NO_PID,
	ADDRESS_AMBIGUOUS_PID,
	ADDRESS_NO_PROCESS,
	ADDRESS_NO_MAPPING,
	ADDRESS_NO_KERNEL,
	ADDRESS_NOT_PERMITTED,
	ADDRESS_FAILED,
	ADDRESS_PROBLEMS,
};

struct named_address {
	enum address_problem problem;
	/* If it is located: */
	char *path; /* "[kernel.kallsyms]", "[vdso]" and "[name]" of a module, too */
	struct identity identity;
	uint64_t offset; /* in the file; for the kernel, the address */
	/* If the ELF file is mapped from a zip; @identity is the ELF file's: */
	bool embedded;
	char *member;		/* its name, or NULL */
	uint64_t member_offset; /* in it */
	const char *known_from; /* "process", "history", "log", "kernel", "text" */
	/* Valid until the next call with the namer; function and source are NULL if unknown. */
	struct symbol symbol;
	const char *symbols_from; /* where the file was found, NULL for nowhere */
	const char *unnamed;	  /* why there is no symbol; valid as long as that */
};

struct namer;

/* NULL only without memory. */
struct namer *namer_new(const struct namer_options *options);
void namer_free(struct namer *namer);

/*
 * Fill @named, which the caller frees. @time is by the log's clock, UINT64_MAX for the last.
 * @caller: @addr is a return address, so the call to name is before it.
 */
void namer_find(struct namer *namer, uint32_t pid, uint64_t addr, uint64_t time, bool caller,
		struct named_address *named);
/*
 * The same for @place in the content @id, without a process: an offset in the file, or with
 * @is_elf_address an address of the ELF file.
 */
void namer_find_in_content(struct namer *namer, const struct build_id *id, uint64_t place,
			   bool is_elf_address, bool caller, struct named_address *named);
void named_address_free(struct named_address *named);

/* "the process is not known" and so on. */
const char *address_problem_text(enum address_problem problem);

#endif
