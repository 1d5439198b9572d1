// SPDX-License-Identifier: GPL-2.0
/* Attrs, before the events. */

#include <string.h>

#include "attrs.h"

bool perfdata_attrs_are_behind(const struct perfdata_header *header)
{
	return header->attrs.size && header->attrs.offset >= header->data.offset;
}

/* Read where an attr's ids are, from its last bytes. */
static int read_section(struct perfdata *data, uint64_t attr, struct perfdata_section *section)
{
	return perfdata_pread(data, data->streams[0].fd, section, sizeof(*section),
			      attr + data->header.attr_size - sizeof(*section));
}

static int write_ids(struct perfdata *data, struct perfdata_writer *output)
{
	const struct perfdata_section *attrs = &data->header.attrs;
	struct perfdata_section ids;
	uint64_t at;

	for (at = attrs->offset; at < attrs->offset + attrs->size; at += data->header.attr_size)
		if (read_section(data, at, &ids) ||
		    perfdata_writer_copy(output, ids.offset, ids.size))
			return -1;
	return 0;
}

int perfdata_attrs_write(struct perfdata *data, struct perfdata_writer *output,
			 struct perfdata_header *header)
{
	const struct perfdata_section *attrs = &data->header.attrs;
	uint64_t moved = perfdata_writer_offset(output);
	struct perfdata_section ids;
	uint64_t at;

	if (write_ids(data, output))
		return -1;
	header->attrs.offset = perfdata_writer_offset(output);
	for (at = attrs->offset; at < attrs->offset + attrs->size; at += header->attr_size) {
		if (read_section(data, at, &ids))
			return -1;
		ids.offset = moved;
		moved += ids.size;
		if (perfdata_writer_copy(output, at, header->attr_size - sizeof(ids)) ||
		    perfdata_writer_put(output, &ids, sizeof(ids)))
			return -1;
	}
	header->data.offset = perfdata_writer_offset(output);
	return 0;
}
