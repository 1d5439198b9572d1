// SPDX-License-Identifier: GPL-2.0
/* Options: how values that several commands take are parsed and checked. */

#include "options.h"

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

const char *option_perfdata(const char *input, char *const *operands)
{
	if (input && *operands)
		args_error(*operands, "not together with --input");
	if (!input)
		input = *operands ? *operands : "perf.data";
	return input;
}
