/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth_kernel.h"

#include "common/util/log.h"
#include "record/synth/bpf.h"
#include "record/synth/cgroups.h"
#include "record/synth/synth_modules.h"
#include "record/sys/sysfile.h"

#define KPTR_RESTRICT "/proc/sys/kernel/kptr_restrict"

static bool samples_kernel(const struct selection *selection)
{
	array_each(&selection->events, event)
		if (!event->attr.exclude_kernel)
			return true;
	return false;
}

/* Linux's kallsyms_show_value(): with kptr_restrict 0 it is paranoid's turn. */
static void tell_hidden(void)
{
	int64_t restricted;
	bool is_open = sysfile_number(KPTR_RESTRICT, &restricted) &&
		restricted == 0;

	log_note("kernel symbols are hidden; to see them, as root: "
		 "sysctl kernel.%s",
		is_open ? "perf_event_paranoid=1" : "kptr_restrict=0");
}

void before_tell(const struct options *options,
	const struct selection *selection, struct kallsyms *kallsyms,
	struct pipeline *pipe)
{
	_cleanup_strbuf_ struct strbuf records = { 0 };

	if (samples_kernel(selection)) {
		if (!kallsyms_read("/proc/kallsyms", kallsyms))
			tell_hidden();
		kernel_add(pipe->procs, kallsyms, &records);
		bpf_add_programs(pipe->procs, &records);
	}
	if (options->has_all_cgroups)
		cgroups_add_all(pipe->procs, &records);
	drain_inject(pipe->drain, &records);
}
