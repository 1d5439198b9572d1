// SPDX-License-Identifier: GPL-2.0
/* Options: how values that several commands take are parsed and checked. */

#include "options.h"
#include "recorded_file.h"

const char *option_ring_size(void *size, const char *value)
{
	uint64_t number;

	if (!args_size(value, &number) || !number || number > UINT32_MAX || number & (number - 1))
		return "not a power of two up to 2G";
	*(uint32_t *)size = (uint32_t)number;
	return NULL;
}

void option_check_filter(const struct filter *filter)
{
	if (filter->children && !filter->nr_pids)
		args_error("--children", "only together with --pid");
}

static const char **recorded_option(const char *operand, const char **input, const char **log)
{
	switch (recorded_kind(operand)) {
	case RECORDED_LOG:
		if (!log)
			args_error(operand, "a log; buildid mon shows it");
		return log;
	case RECORDED_PERFDATA:
		if (!input)
			args_error(operand, "a perf.data; buildid list shows what is in it");
		return input;
	default:
		/* Whoever reads it says what is wrong. */
		return input ? input : log;
	}
}

void option_recorded(char *const *operands, const char **input, const char **log)
{
	const char **option;

	for (; *operands; operands++) {
		option = recorded_option(*operands, input, log);
		if (*option)
			args_error(*operands, option == input ?
						      "not together with another perf.data" :
						      "not together with another log");
		*option = *operands;
	}
}
