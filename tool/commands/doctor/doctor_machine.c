// SPDX-License-Identifier: GPL-2.0
/* Doctor's machine: the module, its file and the kernel's policy, read once. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "content/kernel_modules.h"
#include "doctor.h"

char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	int error = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &room, '\0', file) < 0) {
		error = ferror(file) ? errno : 0;
		free(text);
		text = error ? NULL : strdup("");
	}
	fclose(file);
	errno = error;
	return text;
}

/* Of the loaded module; "" if it cannot be read. */
static void read_attribute(const char *path, char *value, size_t size)
{
	char *text = read_text(path);

	if (text)
		snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static void look_at_module(struct machine *machine)
{
	machine->loaded = !access("/sys/module/buildid", F_OK);
	machine->built_in = machine->loaded && access("/sys/module/buildid/initstate", F_OK) &&
			    errno == ENOENT;
	/* What is built in has its directory even if it did not start. */
	if (machine->built_in)
		machine->loaded = !access("/sys/class/misc/buildid", F_OK);
	read_attribute("/sys/module/buildid/version", machine->loaded_version,
		       sizeof(machine->loaded_version));
	read_attribute("/sys/module/buildid/srcversion", machine->loaded_source,
		       sizeof(machine->loaded_source));
	machine->file = module_file("buildid");
	machine->has_info = machine->file &&
			    module_info_read(machine->file, &machine->info, &machine->info_reason);
}

static bool text_has(const char *path, const char *word)
{
	char *text = read_text(path);
	bool has = text && strstr(text, word);

	free(text);
	return has;
}

/* Whether its file would be there if it were in this kernel. */
static bool has_securityfs(void)
{
	return !access("/sys/kernel/security/lsm", F_OK) ||
	       !text_has("/proc/filesystems", "\tsecurityfs\n");
}

static void look_at_policy(struct machine *machine)
{
	char *enforce = read_text("/sys/module/module/parameters/sig_enforce");
	bool hidden = !enforce && errno != ENOENT;
	char *lockdown = read_text("/sys/kernel/security/lockdown");

	if (lockdown)
		machine->lockdown = lockdown_parse(lockdown);
	else if (errno == ENOENT && has_securityfs())
		machine->lockdown = LOCKDOWN_ABSENT;
	machine->signature_needed = (enforce && *enforce == 'Y') ||
				    machine->lockdown == LOCKDOWN_INTEGRITY ||
				    machine->lockdown == LOCKDOWN_CONFIDENTIALITY;
	machine->signature_known = machine->signature_needed ||
				   (!hidden && machine->lockdown != LOCKDOWN_UNKNOWN);
	free(enforce);
	free(lockdown);
}

static void look_at_device(struct machine *machine)
{
	machine->open_error = buildid_open(&machine->handle);
	if (!machine->open_error)
		machine->open_error = buildid_get_info(machine->handle, &machine->module,
						       sizeof(machine->module));
	if (machine->open_error == -EPROTONOSUPPORT)
		buildid_module_abi(&machine->abi);
	/* A container may have the device, and not that part of /sys. */
	machine->loaded |= !machine->open_error || machine->open_error == -EPROTONOSUPPORT;
	if (!machine->open_error && !*machine->loaded_version)
		snprintf(machine->loaded_version, sizeof(machine->loaded_version), "%.*s",
			 (int)sizeof(machine->module.version),
			 (const char *)machine->module.version);
}

void machine_look(struct machine *machine)
{
	*machine = (struct machine){};
	uname(&machine->uts);
	look_at_module(machine);
	look_at_policy(machine);
	look_at_device(machine);
}

void machine_free(struct machine *machine)
{
	buildid_close(machine->handle);
	free(machine->file);
}
