// SPDX-License-Identifier: GPL-2.0
/* Module: open its device and subscribe; one line of what is wrong and what helps. */

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "common/array.h"
#include "device_access.h"
#include "module.h"

#define MODULE_DIRECTORY "/sys/module/buildid"
#define NETLINK_NAME	 "netlink family " BUILDID_GENL_NAME

static bool is_loaded(void)
{
	return !access("/sys/class/misc/buildid", F_OK);
}

void module_error(struct output *out, const char *object, int error, const char *advice)
{
	char access_remedy[256];

	/* @advice is about permissions, which nothing else has to do with. */
	if (!advice || error != -EPERM)
		advice = buildid_advice(error);
	if (error == -EACCES) {
		device_access_remedy(access_remedy, sizeof(access_remedy));
		advice = access_remedy;
	}
	out_error(out, object, "%s%s%s", buildid_strerror(error), advice ? "; " : "",
		  advice ? advice : "");
}

static void other_abi(struct output *out, const char *object)
{
	FILE *file = fopen(MODULE_DIRECTORY "/version", "re");
	char version[64] = "?";
	uint32_t abi = 0;

	buildid_module_abi(&abi);
	if (file) {
		(void)!fscanf(file, "%63s", version);
		fclose(file);
	}
	out_error(out, object,
		  "the module is version %s (ABI %" PRIu32 "), this tool needs ABI %d; "
		  "%s, and load it: rmmod buildid && modprobe buildid",
		  version, abi, BUILDID_ABI_VERSION, buildid_advice(-EPROTONOSUPPORT));
}

/* Its commands have other numbers then. */
static bool is_other_abi(int error)
{
	uint32_t abi;

	return error == -EOPNOTSUPP && !buildid_module_abi(&abi) && abi != BUILDID_ABI_VERSION;
}

void module_netlink_error(struct output *out, int error)
{
	if (error == -ENODEV && is_loaded())
		out_error(out, NETLINK_NAME, "only the initial network namespace has it");
	else if (is_other_abi(error))
		other_abi(out, NETLINK_NAME);
	else
		module_error(out, NETLINK_NAME, error, NULL);
}

void module_warn(struct buildid *handle)
{
	struct buildid_info info;

	if (!handle || buildid_get_info(handle, &info, sizeof(info)) ||
	    info.status & BUILDID_STATUS_ARMED)
		return;
	fputs("buildid: " BUILDID_DEVICE ": no mapping is seen, as ftrace or kprobes were "
	      "turned off after the module was loaded; sysctl kernel.ftrace_enabled=1, "
	      "echo 1 > /sys/kernel/debug/kprobes/enabled\n",
	      stderr);
}

const char *module_request_name(unsigned int number)
{
	static const char *const names[] = {
		[_IOC_NR(BUILDID_IOC_INFO)] = "info",
		[_IOC_NR(BUILDID_IOC_STATS)] = "stats",
		[_IOC_NR(BUILDID_IOC_SUBSCRIBE)] = "subscribe",
		[_IOC_NR(BUILDID_IOC_FLUSH)] = "flush",
		[_IOC_NR(BUILDID_IOC_MAPS)] = "maps",
		[_IOC_NR(BUILDID_IOC_SET_COOKIE)] = "set-cookie",
		[_IOC_NR(BUILDID_IOC_HISTORY)] = "history",
		[_IOC_NR(BUILDID_IOC_RESOLVE)] = "resolve",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

void module_open_error(struct output *out, int err)
{
	/* As in a container with a /dev of its own. */
	if (err == -ENODEV && is_loaded() && access(BUILDID_DEVICE, F_OK))
		out_error(out, BUILDID_DEVICE,
			  "the module is loaded, but its device is not in this /dev");
	else if (err == -EPROTONOSUPPORT)
		other_abi(out, BUILDID_DEVICE);
	else
		module_error(out, BUILDID_DEVICE, err, NULL);
}

struct buildid *module_open(struct output *out)
{
	struct buildid *handle;
	int err = buildid_open(&handle);

	if (!err)
		return handle;
	module_open_error(out, err);
	return NULL;
}

/* The module itself would say no more than EINVAL. */
bool module_refuses(struct output *out, struct buildid *handle, uint32_t ring_size)
{
	struct buildid_info info;

	if (!ring_size || buildid_get_info(handle, &info, sizeof(info)) ||
	    (ring_size >= info.ring_min && ring_size <= info.ring_max))
		return false;
	out_error(out, "--ring-size", "the module allows %" PRIu32 " to %" PRIu32 " bytes",
		  info.ring_min, info.ring_max);
	return true;
}

struct buildid *module_subscribe(struct output *out, const struct buildid_options *options)
{
	struct buildid *handle = module_open(out);
	int err;

	if (!handle)
		return NULL;
	if (!module_refuses(out, handle, options->ring_size)) {
		err = buildid_subscribe(handle, options);
		if (!err) {
			module_warn(handle);
			return handle;
		}
		module_error(out, BUILDID_DEVICE, err, NULL);
	}
	buildid_close(handle);
	return NULL;
}
