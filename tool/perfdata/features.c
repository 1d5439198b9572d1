// SPDX-License-Identifier: GPL-2.0
/* Features: copied, except those that a rewrite makes untrue. */

#include "features.h"

static void set_feature(struct perfdata_header *header, unsigned int number, bool on)
{
	const uint64_t bit = 1ULL << number % 64;

	if (on)
		header->features[number / 64] |= bit;
	else
		header->features[number / 64] &= ~bit;
}

/* Write each feature's bytes, and their places to @sections. */
static int write_bytes(struct perfdata *data, struct perfdata_writer *output,
		       const struct perfdata_header *header, struct perfdata_section *section,
		       const struct perfdata_build_ids *table)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < PERFDATA_FEATURES; i++) {
		if (!perfdata_has_feature(header, i))
			continue;
		section->offset = perfdata_writer_offset(output);
		if (i == PERFDATA_FEATURE_BUILD_ID)
			err = perfdata_build_ids_write(table, output);
		else
			err = perfdata_writer_copy(output, data->features[i].offset,
						   data->features[i].size);
		section->size = perfdata_writer_offset(output) - section->offset;
		section++;
	}
	return err;
}

static size_t count_features(const struct perfdata_header *header)
{
	size_t count = 0, i;

	for (i = 0; i < PERFDATA_FEATURES / 64; i++)
		count += (size_t)__builtin_popcountll(header->features[i]);
	return count;
}

int perfdata_features_write(struct perfdata *data, struct perfdata_writer *output,
			    const struct perfdata_header *layout,
			    const struct perfdata_build_ids *table)
{
	struct perfdata_section sections[PERFDATA_FEATURES] = {};
	struct perfdata_header header = *layout;
	uint64_t at;
	size_t size;

	set_feature(&header, PERFDATA_FEATURE_COMPRESSED, false);
	set_feature(&header, PERFDATA_FEATURE_BUILD_ID, perfdata_build_ids_count(table) > 0);
	size = count_features(&header) * sizeof(*sections);

	/* Return to the first stream, which has the header. */
	if (perfdata_writer_stream(output, 0))
		return -1;
	at = perfdata_writer_offset(output);
	header.data.size = at - header.data.offset;
	if (perfdata_writer_put(output, sections, size) ||
	    write_bytes(data, output, &header, sections, table) ||
	    perfdata_writer_patch(output, 0, sections, size, at))
		return -1;
	return perfdata_writer_patch(output, 0, &header, sizeof(header), 0);
}
