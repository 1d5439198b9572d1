// SPDX-License-Identifier: GPL-2.0
/* Modules: the files that the running kernel's modules come from. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "modules.h"

struct module {
	struct module *next;
	char *name;
	char *path;	/* NULL: none */
};

struct modules {
	char *directory;
	struct module *asked;
};

struct modules *modules_new(void)
{
	struct modules *modules = calloc(1, sizeof(*modules));
	struct utsname name;

	if (!modules || uname(&name) ||
	    asprintf(&modules->directory, "/lib/modules/%s", name.release) < 0) {
		free(modules);
		return NULL;
	}
	return modules;
}

void modules_free(struct modules *modules)
{
	struct module *module;

	if (!modules)
		return;
	while ((module = modules->asked)) {
		modules->asked = module->next;
		free(module->name);
		free(module->path);
		free(module);
	}
	free(modules->directory);
	free(modules);
}

/* Whether "kernel/a/na-me.ko.xz: ..." is the line of name. */
static bool is_line_of(char *line, const char *name)
{
	char *end = strchr(line, ':');
	const char *base;

	if (!end)
		return false;
	*end = '\0';
	base = strrchr(line, '/');
	base = base ? base + 1 : line;
	for (; *name; name++, base++)
		if (*base != *name && !(*base == '-' && *name == '_'))
			return false;
	return !strncmp(base, ".ko", 3);
}

static char *find(const struct modules *modules, const char *name)
{
	char *file, *line = NULL, *path = NULL;
	size_t room = 0;
	FILE *list;

	if (asprintf(&file, "%s/modules.dep", modules->directory) < 0)
		return NULL;
	list = fopen(file, "re");
	free(file);
	if (!list)
		return NULL;
	while (!path && getline(&line, &room, list) > 0)
		if (is_line_of(line, name) &&
		    asprintf(&path, "%s%s%s", *line == '/' ? "" : modules->directory,
			     *line == '/' ? "" : "/", line) < 0)
			path = NULL;
	free(line);
	fclose(list);
	return path;
}

const char *modules_path(struct modules *modules, const char *name)
{
	const char *base = strrchr(name, '/');
	struct module *module;
	size_t size;

	name = base ? base + 1 : name;
	size = strcspn(name, ".");
	for (module = modules->asked; module; module = module->next)
		if (strlen(module->name) == size && !strncmp(module->name, name, size))
			return module->path;

	module = calloc(1, sizeof(*module));
	if (!module)
		return NULL;
	module->name = strndup(name, size);
	if (!module->name) {
		free(module);
		return NULL;
	}
	module->path = find(modules, module->name);
	module->next = modules->asked;
	modules->asked = module;
	return module->path;
}
