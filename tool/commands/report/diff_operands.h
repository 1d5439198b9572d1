/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Diff operands: which two contents are meant: by build-ids or their first digits, by files, by
 * names as PATH@ID in a recording, or by a path that has had two contents.
 */
#ifndef TOOL_DIFF_OPERANDS_H
#define TOOL_DIFF_OPERANDS_H

#include "common/output.h"
#include "content_files.h"
#include "perfdata/profile.h"

struct diff_operand {
	struct content_request request;
	char *path; /* of the request, owned; NULL where it is not known */
};

/* Of a recording, or all zeros. */
struct diff_recording {
	struct perfdata *data;
	struct perfdata_profile *profile;
	const struct perfdata_dso *dsos;
	size_t nr_dsos;
};

/* False when that is not clear, with a message; free them in any case. */
bool diff_operands_find(char *const *operands, const struct diff_recording *recording,
			const struct content_files *files, struct output *out,
			struct diff_operand found[2]);
void diff_operands_free(struct diff_operand operands[2]);

#endif
