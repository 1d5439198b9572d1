// SPDX-License-Identifier: GPL-2.0
/*
 * buildid info: what the module is and what it knows.
 *
 * Bits that this tool has no name for are "unknown": the module may be newer.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "common/arguments.h"
#include "common/array.h"
#include "module.h"

static const char help[] =
	"Show the version of the module, the kernel function it probes and whether it sees "
	"mappings now (armed), the records and requests it knows, and its bounds.";

static const char examples[] = "buildid info\n";

#define BITS 64

/* The words of the bits set in @bits. */
static void show_bits(struct output *out, const char *key, uint64_t bits,
		      const char *(*name)(unsigned int bit))
{
	const char *words[BITS + 1];
	size_t count = 0;
	unsigned int bit;

	for (bit = 0; bit < BITS; bit++)
		if (bits >> bit & 1)
			words[count++] = name(bit) ?: "unknown";
	words[count] = NULL;
	out_pair_words(out, key, words);
}

static const char *feature_name(unsigned int bit)
{
	switch (1ULL << bit) {
	case BUILDID_FEATURE_RING_MMAP:
		return "ring-mmap";
	case BUILDID_FEATURE_NETLINK:
		return "netlink";
	case BUILDID_FEATURE_HTLHASH:
		return "htlhash";
	case BUILDID_FEATURE_FSVERITY:
		return "fsverity";
	default:
		return "unknown";
	}
}

static const char *status_name(unsigned int bit)
{
	return 1U << bit == BUILDID_STATUS_ARMED ? "armed" : "unknown";
}

/* "subscribe:0x7f" for each ioctl that takes flags. */
static void show_flags(struct output *out, const struct buildid_info *info)
{
	char text[ARRAY_SIZE(info->known_flags)][32];
	const char *words[ARRAY_SIZE(text) + 1];
	size_t count = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(text); i++) {
		if (!info->known_flags[i])
			continue;
		snprintf(text[i], sizeof(text[i]), "%s:0x%" PRIx32,
			 module_request_name(i) ?: "unknown", info->known_flags[i]);
		words[count++] = text[i];
	}
	words[count] = NULL;
	out_pair_words(out, "flags", words);
}

static void show_info(struct output *out, struct buildid_info *info)
{
	info->version[sizeof(info->version) - 1] = '\0';
	info->hook[sizeof(info->hook) - 1] = '\0';

	out_begin(out);
	out_pair_string(out, "version", (const char *)info->version);
	out_pair_number(out, "abi", info->abi);
	out_pair_string(out, "hook", (const char *)info->hook);
	show_bits(out, "status", info->status, status_name);
	show_bits(out, "records", info->records, buildid_type_name);
	show_bits(out, "ioctls", info->ioctls, module_request_name);
	show_bits(out, "features", info->features, feature_name);
	show_flags(out, info);
	out_pair_number(out, "max_entries", info->max_entries);
	out_pair_number(out, "ring_min", info->ring_min);
	out_pair_number(out, "ring_max", info->ring_max);
	out_pair_number(out, "id_max", info->id_max);
	out_pair_number(out, "record_max", info->record_max);
	out_pair_number(out, "subscribers_max", info->subscribers_max);
	out_pair_number(out, "pids_max", info->pids_max);
	out_pair_number(out, "cookies_max", info->cookies_max);
	out_pair_number(out, "cookies_total", info->cookies_total);
	out_end(out);
}

int cmd_info(int argc, char **argv)
{
	struct output out;
	const struct args args = {
		.command = "info", .help = help, .examples = examples, .out = &out
	};
	struct buildid_info info;
	struct buildid *handle;
	int err;

	args_parse(&args, argc, argv);
	handle = module_open(&out);
	if (!handle)
		return EXIT_FAILURE;
	err = buildid_get_info(handle, &info, sizeof(info));
	if (!err)
		module_warn(handle);
	buildid_close(handle);
	if (err) {
		module_error(&out, BUILDID_DEVICE, err, NULL);
		return EXIT_FAILURE;
	}
	show_info(&out, &info);
	return EXIT_SUCCESS;
}
