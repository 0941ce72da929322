/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all inputs of a report add up to, beside its rows. */
#include "config.h"

#include "report/result/result.h"

struct unwound result_unwound(const struct result *result)
{
	struct unwound sum = { 0 };

	array_each(&result->inputs.at, input)
		unwound_add(&sum, &input->unwound);
	return sum;
}

struct offcpu_counts result_offcpu(const struct result *result)
{
	struct offcpu_counts sum = { 0 };

	array_each(&result->inputs.at, input)
		offcpu_counts_add(&sum, &input->offcpu_counts);
	return sum;
}

uint64_t result_lost(const struct result *result, double *percent_ret)
{
	uint64_t lost = 0, samples = scan_samples(&result->scan);

	array_each(&result->inputs.at, input)
		lost += input->survey.lost;
	*percent_ret = lost ? 100.0 * (double)lost / (double)(lost + samples)
			    : 0;
	return lost;
}
