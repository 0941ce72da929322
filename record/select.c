/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/select.h"

#include <inttypes.h>

#include "common/log.h"
#include "record/probe.h"
#include "record/workload.h"

struct error *select_events(const struct options *options,
	const struct pmus *pmus, struct selection *ret)
{
	_cleanup_free_ char *program =
		options->command ? workload_path(options->command) : NULL;
	struct error *err = NULL;

	ret->program = program;
	array_each(&options->events, text)
		if (!err)
			err = selection_add(ret, *text, pmus);
	ret->program = NULL;
	if (!options->events.n)
		selection_add_default(ret, pmus);
	return err;
}

static uint64_t choose_frequency(const struct options *options)
{
	uint64_t limit = probe_max_frequency();
	uint64_t frequency = options->frequency ? options->frequency
						: OPTIONS_FREQUENCY_DEFAULT;

	if (!limit || frequency <= limit)
		return frequency == OPTIONS_FREQUENCY_MAX
			? OPTIONS_FREQUENCY_DEFAULT
			: frequency;
	log_note("sampling at %" PRIu64 " Hz, the kernel's limit; "
		 "more: sysctl kernel.perf_event_max_sample_rate",
		limit);
	return limit;
}

void select_sampling(const struct options *options, enum target_kind kind,
	struct selection *selection)
{
	struct sampling sampling = {
		.period = options->period,
		.is_explicit = options->period || options->frequency,
		.has_callchains = options->has_callchains,
		.inherits = kind != TARGET_SYSTEM && !options->has_no_inherit &&
			!options->is_per_thread,
		.has_cgroups = options->has_all_cgroups,
		.starts_at_exec = kind == TARGET_COMMAND &&
			!options->schedule.starts_off,
	};

	if (!options->period)
		sampling.frequency = choose_frequency(options);
	selection_configure(selection, &sampling);
}
