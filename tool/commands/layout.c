// SPDX-License-Identifier: GPL-2.0
/*
 * Layout: a narrow line has a short identity first, then no address and protection,
 * which are rarely looked at, then short names of threads.
 */

#include <stddef.h>

#include "common/array.h"
#include "common/output.h"
#include "layout.h"

/* Each with a trailing blank. */
#define PID_COLUMNS  (PRINT_WIDTH_PID + 1)
#define PROT_COLUMNS 5
#define TIME_COLUMNS (PRINT_WIDTH_TIME + 1)
#define NEWS_COLUMNS (PRINT_WIDTH_NEWS + 1)

#define COMM_SHORT 8
/* Enough digits to distinguish contents, as in git; a short reason fits, too. */
#define ID_SHORT 12

static const struct step {
	bool address;
	int comm, id;
	int path; /* at least */
} steps[] = {
	{ true, PRINT_WIDTH_COMM, PRINT_WIDTH_ID, 32 }, { true, PRINT_WIDTH_COMM, ID_SHORT, 24 },
	{ false, PRINT_WIDTH_COMM, ID_SHORT, 20 },	{ false, COMM_SHORT, ID_SHORT, 16 },
	{ false, COMM_SHORT, COMM_SHORT, 0 },
};

static int layout_columns(const struct step *step, bool time, bool news)
{
	int sum = PID_COLUMNS + step->comm + 1 + step->id + 1 + step->path;

	if (time)
		sum += TIME_COLUMNS;
	if (news)
		return sum + NEWS_COLUMNS;
	return step->address ? sum + PRINT_WIDTH_ADDRESS + 1 + PROT_COLUMNS : sum;
}

struct layout layout_of(int width, bool time, bool news)
{
	const struct step *step = steps;

	while (width && layout_columns(step, time, news) > width &&
	       step < &steps[ARRAY_SIZE(steps) - 1])
		step++;
	return (struct layout){
		.comm = step->comm,
		.address = step->address && !news ? PRINT_WIDTH_ADDRESS : OUT_HIDDEN,
		.id = step->id,
		.news = news ? PRINT_WIDTH_NEWS : OUT_HIDDEN,
		.time = time ? PRINT_WIDTH_TIME : OUT_HIDDEN,
	};
}
