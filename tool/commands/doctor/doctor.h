/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doctor: the checks of buildid doctor, and what each of them found.
 *
 * A check only looks, and changes nothing. What it may not look at is FINDING_UNKNOWN, never
 * FINDING_OK.
 */
#ifndef TOOL_DOCTOR_H
#define TOOL_DOCTOR_H

#include <stdbool.h>
#include <sys/utsname.h>

#include "content/module_info.h"
#include "doctor_texts.h"
#include "libbuildid/libbuildid.h"

enum finding_status {
	FINDING_OK,
	FINDING_WARNING, /* works, but not all of it, or not for long */
	FINDING_FAILED,
	FINDING_UNKNOWN,
};

struct finding {
	enum finding_status status;
	char message[512];
	char remedy[512]; /* "" if there is nothing to do */
};

/* Both format as printf(3) does. */
void finding_set(struct finding *finding, enum finding_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void finding_remedy(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What several checks need to know. */
struct machine {
	struct utsname uts;
	bool loaded;
	bool built_in; /* into the kernel, by scripts/copy-builtin */
	char loaded_version[64];
	uint32_t abi;		/* of the loaded module, if it differs from the tool's */
	char loaded_source[64]; /* see struct module_info */
	char *file;		/* the module's, as depmod knows it; or NULL */
	bool has_info;
	struct module_info info; /* of the file */
	struct reason info_reason;
	bool signature_known; /* whether the kernel accepts only signed modules */
	bool signature_needed;
	enum lockdown lockdown;
	struct buildid *handle; /* NULL if the device cannot be opened */
	int open_error;
	struct buildid_info module; /* with @handle */
};

void machine_look(struct machine *machine);
void machine_free(struct machine *machine);

/* The caller frees it; NULL with errno. Ends at the first NUL. */
char *read_text(const char *path);

typedef void doctor_check(const struct machine *machine, struct finding *finding);

/* doctor_kernel.c */
doctor_check check_headers, check_module, check_loaded, check_signature, check_lockdown,
	check_kprobes;
/* doctor_device.c */
doctor_check check_hook, check_visits, check_device, check_rights;
/* doctor_user.c */
doctor_check check_perf, check_debuginfod, check_debug_dir;

#endif
