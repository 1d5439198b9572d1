// SPDX-License-Identifier: GPL-2.0
/* Module info: the only file that knows libkmod, which reads signed and compressed files. */

#include <ctype.h>
#include <errno.h>
#include <libkmod.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "common/shared_library.h"
#include "module_info.h"

/* Names without "kmod_". */
#define FUNCTIONS(F)            \
	F(new)                  \
	F(unref)                \
	F(list_next)            \
	F(set_log_fn)           \
	F(module_new_from_path) \
	F(module_unref)         \
	F(module_get_info)      \
	F(module_info_get_key)  \
	F(module_info_get_value) F(module_info_free_list)

static struct library {
	bool loaded;
#define POINTER(name) __typeof__(kmod_##name) *name;
	FUNCTIONS(POINTER)
#undef POINTER
} library;

static const char *module_info_load(void)
{
#define FUNCTION(name) { "kmod_" #name, offsetof(struct library, name) },
	static const struct shared_function functions[] = { FUNCTIONS(FUNCTION) };
#undef FUNCTION
	const char *problem = NULL;

	if (!library.loaded)
		problem = shared_library_open("libkmod.so.2", functions, ARRAY_SIZE(functions),
					      &library);
	library.loaded = !problem;
	return problem;
}

/* "1A:2B:3C", in lines of 20. */
static void take_serial(struct module_info *info, const char *value)
{
	size_t used = 0;

	for (; *value && used < sizeof(info->serial) - 1; value++)
		if (isxdigit((unsigned char)*value))
			info->serial[used++] = (char)tolower((unsigned char)*value);
	info->serial[used] = '\0';
}

static void module_info_take(struct module_info *info, const char *key, const char *value)
{
	if (!strcmp(key, "version"))
		snprintf(info->version, sizeof(info->version), "%s", value);
	else if (!strcmp(key, "srcversion"))
		snprintf(info->source_version, sizeof(info->source_version), "%s", value);
	else if (!strcmp(key, "vermagic"))
		snprintf(info->release, sizeof(info->release), "%.*s", (int)strcspn(value, " "),
			 value);
	else if (!strcmp(key, "signer"))
		snprintf(info->signer, sizeof(info->signer), "%s", value);
	else if (!strcmp(key, "sig_key"))
		take_serial(info, value);
	else if (!strcmp(key, "sig_id"))
		info->is_signed = true;
}

/* Its messages are for modprobe. */
static void ignore(void *data, int priority, const char *file, int line, const char *function,
		   const char *format, va_list args)
{
	(void)data, (void)priority, (void)file, (void)line, (void)function;
	(void)format, (void)args;
}

static int read_info(struct kmod_ctx *context, const char *path, struct module_info *info)
{
	struct kmod_list *list = NULL, *each;
	struct kmod_module *module;
	int err;

	library.set_log_fn(context, ignore, NULL);
	err = library.module_new_from_path(context, path, &module);
	if (err)
		return err;
	err = library.module_get_info(module, &list);
	for (each = list; each; each = library.list_next(list, each))
		module_info_take(info, library.module_info_get_key(each),
				 library.module_info_get_value(each));
	library.module_info_free_list(list);
	library.module_unref(module);
	return err < 0 ? err : 0;
}

bool module_info_read(const char *path, struct module_info *info, struct reason *reason)
{
	const char *problem = module_info_load();
	struct kmod_ctx *context;
	int err;

	*info = (struct module_info){};
	if (problem)
		return reason_set(reason, "%s", problem);
	context = library.new(NULL, NULL);
	if (!context)
		return reason_set(reason, "%s", strerror(ENOMEM));
	err = read_info(context, path, info);
	library.unref(context);
	return !err || reason_set(reason, "%s", strerror(-err));
}
