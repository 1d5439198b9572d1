// SPDX-License-Identifier: GPL-2.0
/* Doctor, the kernel: is there a module for it, and does it take that module? */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/child.h"
#include "content/kernel_modules.h"
#include "doctor.h"
#include "commands/module.h"

#define DKMS	    "/var/lib/dkms"
#define DKMS_MODULE "buildid/" BUILDID_VERSION
#define DKMS_SOURCE "/usr/src/buildid-" BUILDID_VERSION "/dkms.conf"
#define DKMS_KEY    DKMS "/mok.pub"
#define DEBUGFS	    "/sys/kernel/debug"
#define KPROBES	    DEBUGFS "/kprobes/enabled"
#define FTRACE	    "/proc/sys/kernel/ftrace_enabled"
#define KALLSYMS    "/proc/kallsyms"
#define LOCKDOWN    "/sys/kernel/security/lockdown"
#define EFI	    "/sys/firmware/efi"
#define SECURE_BOOT EFI "/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define HOOK	    "perf_event_mmap"

/* As in BUILD_EXCLUSIVE_KERNEL of dkms.conf: DKMS says nothing of a kernel that it excludes. */
static bool is_too_old(const char *release)
{
	unsigned int major, minor;

	return sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major < 6 || (major == 6 && minor < 1));
}

/* As from a build directory: nothing was to be there after the next boot. */
static bool is_by_hand(const struct machine *machine)
{
	return machine->loaded && !machine->file && access(DKMS_SOURCE, F_OK) &&
	       !is_too_old(machine->uts.release);
}

static bool is_built_in(const struct machine *machine, struct finding *finding)
{
	if (machine->built_in)
		finding_set(finding, FINDING_OK, "not needed: this kernel has the module built in");
	return machine->built_in;
}

void check_headers(const struct machine *machine, struct finding *finding)
{
	const char *release = machine->uts.release;
	char path[256];

	if (is_built_in(machine, finding))
		return;
	snprintf(path, sizeof(path), "/lib/modules/%s/build", release);
	if (!access(path, F_OK)) {
		finding_set(finding, FINDING_OK, "kernel headers in %s", path);
		return;
	}
	if (is_by_hand(machine))
		finding_set(finding, FINDING_OK,
			    "no kernel headers for %s, which a module that is loaded does not need",
			    release);
	else if (machine->loaded || machine->file)
		finding_set(finding, FINDING_WARNING,
			    "no kernel headers for %s, so the module cannot be built again",
			    release);
	else
		finding_set(finding, FINDING_FAILED,
			    "no kernel headers for %s, so the module cannot be built", release);
	finding_remedy(finding,
		       "install them: apt install linux-headers-%s; if apt has them no more, "
		       "upgrade the kernel and reboot; and for kernels to come install the "
		       "linux-headers-* that goes with your linux-image-*",
		       release);
}

/* ----------------------------------------------------------------- module -- */

static bool found_file(const char *path, void *found)
{
	snprintf(found, 512, "%s", path);
	return true;
}

/* False after it has set @finding. */
static bool kernel_can(const struct machine *machine, const char *symbols, struct finding *finding)
{
	bool probes = kallsyms_has(symbols, "register_kprobe");

	if (probes && kallsyms_has(symbols, HOOK))
		return true;
	finding_set(finding, FINDING_FAILED, "%s was built without %s, which the module needs",
		    machine->uts.release,
		    probes ? "the function " HOOK : "kprobes (CONFIG_KPROBES)");
	finding_remedy(finding, "use another kernel");
	return false;
}

/* As kernel_can(); true where that cannot be seen. */
static bool running_kernel_can(const struct machine *machine, struct finding *finding)
{
	char *symbols = machine->loaded ? NULL : read_text(KALLSYMS);
	bool can = !symbols || !*symbols || kernel_can(machine, symbols, finding);

	free(symbols);
	return can;
}

static void no_module(const struct machine *machine, struct finding *finding)
{
	enum finding_status status = machine->loaded ? FINDING_WARNING : FINDING_FAILED;
	const char *release = machine->uts.release;
	char stray[512];

	if (module_files_search("buildid", false, found_file, stray)) {
		finding_set(finding, status, "modprobe does not know %s", stray);
		finding_remedy(finding, "run depmod");
		return;
	}
	if (!running_kernel_can(machine, finding))
		return;
	if (is_by_hand(machine))
		status = FINDING_OK;
	finding_set(finding, status, "no module for %s in /lib/modules%s", release,
		    machine->loaded ? ", so that it is gone with the next boot" : "");
	if (is_too_old(release))
		finding_remedy(finding, "use another kernel: the module needs Linux 6.1");
	else if (!access(DKMS_SOURCE, F_OK))
		finding_remedy(finding,
			       "build it: dkms install --force " DKMS_MODULE " -k %s; what goes "
			       "wrong is in " DKMS "/" DKMS_MODULE "/build/make.log; if it does "
			       "not compile, use a newer buildid-dkms, or another kernel",
			       release);
	else
		finding_remedy(finding, "install buildid-dkms, or from the sources: make install");
}

/* What DKMS holds for installed it does not build. */
static void build_again(const struct machine *machine, struct finding *finding)
{
	if (access(DKMS_SOURCE, F_OK))
		finding_remedy(finding, "build it again: make install");
	else
		finding_remedy(finding,
			       "build it again: dkms remove " DKMS_MODULE
			       " -k %s; dkms install " DKMS_MODULE " -k %s",
			       machine->uts.release, machine->uts.release);
}

static void replace_installed(const struct machine *machine, struct finding *finding)
{
	if (!access(DKMS_SOURCE, F_OK) && machine->file && !strstr(machine->file, "/updates/dkms/"))
		finding_remedy(finding,
			       "it hides the one that DKMS builds: remove it, and run depmod");
	else
		finding_remedy(finding, "install the module and the tool of the same version");
}

void check_module(const struct machine *machine, struct finding *finding)
{
	const struct module_info *info = &machine->info;

	if (is_built_in(machine, finding))
		return;
	if (!machine->file) {
		no_module(machine, finding);
	} else if (access(machine->file, F_OK)) {
		finding_set(finding, machine->loaded ? FINDING_WARNING : FINDING_FAILED, "%s: %s",
			    machine->file, strerror(errno));
		build_again(machine, finding);
	} else if (!machine->has_info) {
		finding_set(finding, FINDING_UNKNOWN, "%s: %s", machine->file,
			    machine->info_reason.text);
	} else if (strcmp(info->release, machine->uts.release)) {
		finding_set(finding, FINDING_FAILED, "%s is built for %s, not for %s",
			    machine->file, info->release, machine->uts.release);
		build_again(machine, finding);
	} else if (strcmp(info->version, BUILDID_VERSION)) {
		finding_set(finding, FINDING_WARNING,
			    "%s has version %s, the tool " BUILDID_VERSION, machine->file,
			    *info->version ? info->version : "?");
		replace_installed(machine, finding);
	} else {
		finding_set(finding, FINDING_OK, "%s, version %s", machine->file, info->version);
	}
}

/* ----------------------------------------------------------------- loaded -- */

/* " and does not know: history", of the requests that this tool makes. */
static void name_missing(const struct machine *machine, char *text, size_t size)
{
	const char *before = ", and does not know: ", *name;
	unsigned int number;
	size_t used = 0;

	*text = '\0';
	for (number = 0; !machine->open_error && number < 64; number++) {
		name = module_request_name(number);
		if (!name || machine->module.ioctls >> number & 1 || used >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s", before, name);
		before = ", ";
	}
}

static void load_installed(struct finding *finding)
{
	finding_remedy(finding, "load the one that is installed: systemctl stop buildid-store, "
				"which uses it; rmmod buildid && modprobe buildid");
}

static void other_version(const struct machine *machine, struct finding *finding)
{
	bool right = machine->has_info && !strcmp(machine->info.version, BUILDID_VERSION);
	bool other_abi = machine->open_error == -EPROTONOSUPPORT;
	char more[256];

	if (other_abi)
		snprintf(more, sizeof(more), "; the ABI is %" PRIu32 ", the tool's is %d",
			 machine->abi, BUILDID_ABI_VERSION);
	else
		name_missing(machine, more, sizeof(more));
	finding_set(finding, other_abi ? FINDING_FAILED : FINDING_WARNING,
		    "the loaded module has version %s, the tool " BUILDID_VERSION "%s",
		    *machine->loaded_version ? machine->loaded_version : "?", more);
	if (right)
		load_installed(finding);
	else
		finding_remedy(finding, "install the module and the tool of the same version");
}

/* A package may be built again, with a fix, and have no other version of the module. */
static bool is_other_build(const struct machine *machine)
{
	return machine->has_info && !strcmp(machine->info.version, machine->loaded_version) &&
	       !strcmp(machine->info.release, machine->uts.release) &&
	       *machine->info.source_version && *machine->loaded_source &&
	       strcmp(machine->info.source_version, machine->loaded_source) != 0;
}

void check_loaded(const struct machine *machine, struct finding *finding)
{
	if (!machine->loaded && access("/sys/module", F_OK)) {
		finding_set(finding, FINDING_UNKNOWN,
			    "neither /sys/module nor a device that opens is here to tell");
		finding_remedy(finding, "in a container, let it have " BUILDID_DEVICE);
	} else if (!machine->loaded && machine->built_in) {
		finding_set(finding, FINDING_FAILED,
			    "the module is built into this kernel, and did not start");
		finding_remedy(finding, "see why: dmesg | grep buildid:");
	} else if (!machine->loaded) {
		finding_set(finding, FINDING_FAILED, "the module is not loaded");
		finding_remedy(finding, machine->file ? "load it: modprobe buildid" :
							"install it first, see module");
	} else if (strcmp(machine->loaded_version, BUILDID_VERSION) ||
		   machine->open_error == -EPROTONOSUPPORT) {
		other_version(machine, finding);
	} else if (is_other_build(machine)) {
		finding_set(finding, FINDING_WARNING,
			    "version %s, as the tool, but of other sources than %s",
			    machine->loaded_version, machine->file);
		load_installed(finding);
	} else {
		finding_set(finding, FINDING_OK, "version %s, as the tool",
			    machine->loaded_version);
	}
}

/* -------------------------------------------------------------- signature -- */

static bool has_lockdown(const struct machine *machine)
{
	return machine->lockdown == LOCKDOWN_INTEGRITY ||
	       machine->lockdown == LOCKDOWN_CONFIDENTIALITY;
}

static const char *needed_by(const struct machine *machine)
{
	return has_lockdown(machine) ? "lockdown" : "module.sig_enforce";
}

/* Four bytes of attributes, then the value. */
static bool has_secure_boot(void)
{
	unsigned char variable[5] = {};
	int fd = open(SECURE_BOOT, O_RDONLY | O_CLOEXEC);
	bool on = fd >= 0 && read(fd, variable, sizeof(variable)) == sizeof(variable) &&
		  variable[4] == 1;

	if (fd >= 0)
		close(fd);
	return on;
}

/* @key: " FILE", or "". Only a machine with EFI has a place for keys of its owner's. */
static void trust(struct finding *finding, const char *before, const char *key)
{
	const char *instead = has_secure_boot() ? "turn Secure Boot off" :
						  "boot without module.sig_enforce and lockdown";

	if (access(EFI, F_OK))
		finding_remedy(finding, "%s%s", before, instead);
	else
		finding_remedy(finding,
			       "%senroll the key: mokutil --import%s, reboot, and confirm it at "
			       "the console; or %s",
			       before, key, instead);
}

/* Of DKMS's own, which it signs with, if it built the module. */
static const char *key_file(const struct machine *machine)
{
	bool is_dkms = strstr(machine->file, "/updates/dkms/") && !access(DKMS_KEY, F_OK);

	return is_dkms ? " " DKMS_KEY : "";
}

/* What any user may see. @why_not: why it cannot be seen here, if anybody could. */
static bool is_enrolled(const char *serial, const char **why_not)
{
	char name[] = "mokutil", option[] = "--list-enrolled";
	char *command[] = { name, option, NULL };
	size_t size;
	char *text;
	bool is;

	*why_not = "";
	if (access(EFI, F_OK))
		return false;
	text = child_output(command, CHILD_TIMEOUT_MS, &size);
	if (!text)
		*why_not = errno == ENOENT ?
				   "; mokutil, which would know, is not installed (package "
				   "mokutil)" :
				   "; mokutil, which would know, does not answer";
	is = text && enrolled_has(text, serial);
	free(text);
	return is;
}

/* The signer's name is a part of the issuer's, and several keys may have it. */
static void judge_name(const struct machine *machine, const char *why_not, struct finding *finding)
{
	const char *signer = machine->info.signer;
	char *keys = read_text("/proc/keys");

	switch (keys ? keys_find(keys, signer) : ENROLLED_HIDDEN) {
	case ENROLLED_HIDDEN:
		finding_set(finding, FINDING_UNKNOWN,
			    "by \"%s\"; which keys the kernel has is for root to see%s", signer,
			    why_not);
		finding_remedy(finding, "run as root");
		break;
	case ENROLLED_YES:
		finding_set(finding, FINDING_UNKNOWN,
			    "by \"%s\"; the kernel has a key of that name, which may be another%s",
			    signer, why_not);
		finding_remedy(finding, "load the module: the kernel takes it if it is that one");
		break;
	case ENROLLED_NO:
		finding_set(finding, FINDING_WARNING,
			    "by \"%s\"; the kernel has no key of that name, and %s needs the "
			    "signer's%s",
			    signer, needed_by(machine), why_not);
		trust(finding, "unless it has that key by another name, ", key_file(machine));
		break;
	}
	free(keys);
}

static void find_key(const struct machine *machine, struct finding *finding)
{
	const char *signer = machine->info.signer, *why_not;

	if (!*signer) {
		finding_set(finding, FINDING_UNKNOWN, "%s is signed, but by whom cannot be read",
			    machine->file);
		finding_remedy(finding, "load the module: the kernel takes it if it has the key");
	} else if (is_enrolled(machine->info.serial, &why_not)) {
		finding_set(finding, FINDING_OK, "by \"%s\", whose key is enrolled", signer);
	} else {
		judge_name(machine, why_not, finding);
	}
}

void check_signature(const struct machine *machine, struct finding *finding)
{
	if (is_built_in(machine, finding))
		return;
	if (!machine->signature_known) {
		finding_set(finding, FINDING_UNKNOWN,
			    "whether this kernel takes signed modules only cannot be seen");
		finding_remedy(finding, "see lockdown, or run as root");
	} else if (!machine->signature_needed) {
		finding_set(finding, FINDING_OK, "not needed: this kernel takes any module%s",
			    has_secure_boot() ? ", in spite of Secure Boot" : "");
	} else if (!machine->has_info) {
		finding_set(finding, FINDING_UNKNOWN, "needed because of %s, and %s%s",
			    needed_by(machine),
			    machine->file ? "whether it is signed is not known: " :
					    "there is no file of the module to look at",
			    machine->info_reason.text);
	} else if (!machine->info.is_signed) {
		finding_set(finding, FINDING_FAILED,
			    "%s is not signed, and %s needs it: it cannot be loaded", machine->file,
			    needed_by(machine));
		trust(finding,
		      access(EFI, F_OK) ? "" :
					  "sign it with a key of your own (DKMS does so when it "
					  "builds and openssl is installed: dkms remove and dkms "
					  "install), and ",
		      " " DKMS_KEY);
	} else {
		find_key(machine, finding);
	}
}

static void unknown_lockdown(struct finding *finding)
{
	if (!access(LOCKDOWN, F_OK) || errno != ENOENT) {
		finding_set(finding, FINDING_UNKNOWN, LOCKDOWN " cannot be read");
		finding_remedy(finding, "run as root");
	} else {
		finding_set(finding, FINDING_UNKNOWN, "securityfs, which has it, is not mounted");
		finding_remedy(finding, "mount -t securityfs securityfs /sys/kernel/security");
	}
}

void check_lockdown(const struct machine *machine, struct finding *finding)
{
	switch (machine->lockdown) {
	case LOCKDOWN_UNKNOWN:
		unknown_lockdown(finding);
		break;
	case LOCKDOWN_ABSENT:
		finding_set(finding, FINDING_OK, "this kernel has none");
		break;
	case LOCKDOWN_NONE:
		finding_set(finding, FINDING_OK, "off");
		break;
	case LOCKDOWN_INTEGRITY:
		finding_set(finding, FINDING_OK, "integrity: modules have to be signed");
		break;
	case LOCKDOWN_CONFIDENTIALITY:
		finding_set(finding, FINDING_WARNING,
			    "confidentiality: modules have to be signed, and perf and BPF may "
			    "not read the kernel");
		finding_remedy(finding, "boot with lockdown=integrity to trace the kernel, too");
		break;
	}
}

/* ---------------------------------------------------------------- kprobes -- */

static bool is_off(const char *text)
{
	return text && *text == '0';
}

static void not_seen(const struct machine *machine, struct finding *finding, int error)
{
	if (error == ENOENT) {
		finding_set(finding, FINDING_UNKNOWN,
			    "this kernel has them; whether they are on is in debugfs only");
		finding_remedy(finding, "mount -t debugfs debugfs " DEBUGFS);
		return;
	}
	finding_set(finding, FINDING_UNKNOWN,
		    "this kernel has them; whether they are on may not be looked at: %s",
		    has_lockdown(machine) ? "lockdown" : strerror(error));
	if (geteuid() && !has_lockdown(machine))
		finding_remedy(finding, "run as root");
	else if (!machine->loaded)
		finding_remedy(finding, "load the module, which tests them");
}

static void look_at_switches(const struct machine *machine, const char *symbols,
			     struct finding *finding)
{
	/* Not on each architecture do they need ftrace. */
	bool on_ftrace = kallsyms_has(symbols, "kprobe_ftrace_handler");
	char *ftrace = read_text(FTRACE);
	char *kprobes = read_text(KPROBES);
	int error = errno;

	if (on_ftrace && is_off(ftrace)) {
		finding_set(finding, FINDING_FAILED, "ftrace is turned off, which they need");
		finding_remedy(finding, "turn it on: sysctl kernel.ftrace_enabled=1");
	} else if (is_off(kprobes)) {
		finding_set(finding, FINDING_FAILED, "turned off");
		finding_remedy(finding, "turn them on: echo 1 > " KPROBES);
	} else if (kprobes) {
		finding_set(finding, FINDING_OK, "on");
	} else {
		not_seen(machine, finding, error);
	}
	free(ftrace);
	free(kprobes);
}

void check_kprobes(const struct machine *machine, struct finding *finding)
{
	char *symbols;

	if (machine->module.status & BUILDID_STATUS_ARMED) {
		finding_set(finding, FINDING_OK, "on");
		return;
	}
	symbols = read_text(KALLSYMS);
	if (!symbols || !*symbols)
		finding_set(finding, FINDING_UNKNOWN,
			    "whether this kernel has them is in " KALLSYMS ", which %s",
			    symbols ? "is empty" : "cannot be read");
	/* A module that is loaded has found both. */
	else if (machine->loaded || kernel_can(machine, symbols, finding))
		look_at_switches(machine, symbols, finding);
	free(symbols);
}
