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

static const char **recorded_option(const char *operand, enum recorded_kind kind,
				    const char **input, const char **log)
{
	if (kind == RECORDED_LOG && !log)
		args_error(operand, "a log; buildid mon shows it");
	if (kind == RECORDED_PERFDATA && !input)
		args_error(operand, "a perf.data; buildid list shows what is in it");
	if (kind != RECORDED_OTHER)
		return kind == RECORDED_LOG ? log : input;
	/* Its reader says what is wrong with it: whichever of the two is still missing. */
	return input && (!*input || !log) ? input : log;
}

static void take_recorded(const char *operand, enum recorded_kind kind, const char **input,
			  const char **log)
{
	const char **option = recorded_option(operand, kind, input, log);

	if (*option)
		args_error(operand, option == input ? "not together with another perf.data" :
						      "not together with another log");
	*option = operand;
}

void option_recorded(char *const *operands, const char **input, const char **log)
{
	char *const *operand;
	enum recorded_kind kind;

	/* What says what it is comes first, so that the rest is known by what is left. */
	for (operand = operands; *operand; operand++) {
		kind = recorded_kind(*operand);
		if (kind != RECORDED_OTHER)
			take_recorded(*operand, kind, input, log);
	}
	for (operand = operands; *operand; operand++)
		if (recorded_kind(*operand) == RECORDED_OTHER)
			take_recorded(*operand, RECORDED_OTHER, input, log);
}

const char *option_perfdata(const char *input, char *const *operands)
{
	option_recorded(operands, &input, NULL);
	return input ? input : "perf.data";
}
