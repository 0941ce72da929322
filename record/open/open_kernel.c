/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/open_kernel.h"

#include <errno.h>

#include "common/util/log.h"
#include "record/queue/deferred.h"

/*
 * Removes the kernel records that this kernel lacks. They are written to
 * CPU-wide events only. Returns false if the kernel or user supports none.
 */
static bool adapt_kernel_sideband(
	const struct event_fds *opened, struct perf_event_attr *attr)
{
	for (;;) {
		int fd = opened->opener->open(opened->opener, attr, -1,
			(int)opened->target->online.list.at[0]);

		if (fd >= 0) {
			close(fd);
			return true;
		}
		if (errno != EINVAL || !attr->ksymbol)
			return false;
		if (attr->text_poke) /* Linux 5.8 */
			attr->text_poke = 0;
		else if (attr->cgroup) /* 5.7 */
			attr->cgroup = 0;
		else /* 5.1 */
			attr->ksymbol = attr->bpf_event = 0;
	}
}

static void open_kernel_event_on(struct event_fds *opened, uint32_t place)
{
	int fd = opened->opener->open(opened->opener, &opened->kernel_attr, -1,
		(int)opened->target->online.list.at[place]);

	/*
	 * On failure the descriptor is in the list as well, and closed with it.
	 */
	if (fd >= 0 &&
		event_fds_add(opened, fd, event_fds_sideband(opened), place))
		log_verbose("an event for kernel records has no ring buffer");
}

void open_kernel_start(struct event_fds *opened)
{
	struct perf_event_attr attr = opened->sideband_attr;
	uint32_t place;

	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = 0;
	attr.task = attr.build_id = attr.inherit = attr.namespaces = 0;
	attr.mmap_data = attr.context_switch = 0;
	attr.ksymbol = attr.bpf_event = attr.text_poke = 1;
	attr.cgroup = opened->config->has_all_cgroups;
	deferred_clear_request(&attr);
	if (!adapt_kernel_sideband(opened, &attr)) {
		log_verbose("kernel modules and BPF programs that are loaded "
			    "later are not recorded");
		return;
	}
	if (opened->config->has_all_cgroups && !attr.cgroup)
		log_note("--all-cgroups: this kernel does not support CGROUP "
			 "records; only the cgroups that exist now are "
			 "recorded");
	opened->kernel_attr = attr;
	for (place = 0; place < opened->n_rings; place++)
		open_kernel_event_on(opened, place);
}

void open_kernel_on_cpu(struct event_fds *opened, uint32_t place)
{
	if (opened->kernel_attr.size)
		open_kernel_event_on(opened, place);
}
