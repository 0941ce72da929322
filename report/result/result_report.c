/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording lacks, said before its user wonders. */
#include "config.h"

#include "report/result/result.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "report/result/request.h"
#include "report/result/unmatched_filters.h"

/* Traces of AUX buffers are no samples, but somebody meant to record them. */
static void tell_traces(const struct result *result)
{
	array_each(&result->inputs.at, input) {
		uint64_t n = input->survey.by_type[RECORD_AUXTRACE];

		if (n)
			log_note("%s has %" PRIu64 " trace%s of AUX buffers, "
				 "of %s, which dwell doesn't decode",
				reader_path(input->reader), n, plural(n),
				reader_n_events(input->reader)
					? reader_event(input->reader, 0)->name
					: "no known event");
	}
}

void result_tell_nothing(const struct result *result)
{
	uint64_t brief = 0, samples = 0;

	/* Of those without what was asked for not all are scanned. */
	array_each(&result->inputs.at, input) {
		brief += input->offcpu_counts.brief;
		samples += input->survey.by_type[RECORD_SAMPLE];
	}
	if (brief) {
		log_note("no time off the CPU is as long as --min-block asks "
			 "for: %" PRIu64 " %s shorter",
			brief, brief == 1 ? "was" : "were");
		return;
	}
	if (samples) {
		log_note("no sample passes the filters and limits");
		unmet_tell(result);
		return;
	}
	log_note("%s%s has no samples",
		reader_path(result->inputs.at.at[0].reader),
		result->inputs.at.n > 1 ? " and the others" : "");
	tell_traces(result);
}

void result_tell_flat(const struct result *result)
{
	array_each(&result->inputs.at, input)
		if (request_has_chains(input->reader))
			return;
	log_note("%s has no call chains, so nobody has callers; "
		 "'dwell record -g' records them",
		reader_path(result_input(result)->reader));
}
