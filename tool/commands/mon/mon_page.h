/* SPDX-License-Identifier: GPL-2.0 */
/* Mon page: processes that still had what was replaced, a timeline of each path, a table of contents. */
#ifndef TOOL_MON_PAGE_H
#define TOOL_MON_PAGE_H

#include "common/output.h"
#include "mon_timeline.h"

struct mon_page {
	const struct mon_timeline *timeline; /* finished */
	const char *input;		     /* the log, or NULL */
	const struct buildid_lost *lost;
	const char *broken; /* why the log could not be read to its end, or NULL */
	bool failed;	    /* the log, or the stream, ended with an error */
};

/* Into @file of page_open(), which is closed. False after the error was printed. */
bool mon_page_write(const struct mon_page *page, FILE *file, const char *path, struct output *out);

#endif
