/* SPDX-License-Identifier: GPL-2.0 */
/* Kernel modules: their names, and their files below /lib/modules. */
#ifndef TOOL_KERNEL_MODULES_H
#define TOOL_KERNEL_MODULES_H

#include "common/build_id.h"
#include "common/module_name.h"

/* The name of the loaded module with that build-id, which the caller frees, or NULL. */
char *loaded_module_name(const struct build_id *id);

/*
 * The build-id of the loaded module with the name that module_name() finds in @what; false if it is
 * not loaded, or has none.
 */
bool loaded_module_build_id(const char *what, struct build_id *id);

/*
 * The file that depmod knows for the running kernel's module with the name that
 * module_name() finds in @what, which the caller frees, or NULL.
 */
char *module_file(const char *what);

/*
 * Calls @check with each file of a module of that name until one returns true, and returns that.
 * With @all, searches all of /lib/modules, which may take seconds; else only the places of the
 * running kernel's out-of-tree modules.
 */
typedef bool module_file_check(const char *path, void *context);
bool module_files_search(const char *what, bool all, module_file_check *check, void *context);

#endif
