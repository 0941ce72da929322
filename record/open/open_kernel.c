/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/open_kernel.h"

#include <errno.h>

#include "common/util/log.h"
#include "record/queue/deferred.h"

/*
 * What the kernel tells of itself reaches only events of a whole CPU. False if
 * this kernel or user has nothing of it.
 */
static bool adapt_kernel_sideband(
	const struct opened *opened, struct perf_event_attr *attr)
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

static void open_on(struct opened *opened, uint32_t place)
{
	int fd =
		opened->opener->open(opened->opener, &opened->kernel_attr,
			-1, (int)opened->target->online.list.at[place]);

	/* It is in the list then, and closed with it. */
	if (fd >= 0 && opened_add(opened, fd, opened_sideband(opened), place))
		log_verbose("an event of the kernel has no ring");
}

void open_kernel_start(struct opened *opened)
{
	struct perf_event_attr attr = opened->sideband_attr;
	uint32_t place;

	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = 0;
	attr.task = attr.build_id = attr.inherit = attr.namespaces = 0;
	attr.mmap_data = attr.context_switch = 0;
	attr.ksymbol = attr.bpf_event = attr.text_poke = 1;
	attr.cgroup = opened->wish->has_all_cgroups;
	deferred_hide(&attr);
	if (!adapt_kernel_sideband(opened, &attr)) {
		log_verbose("what the kernel loads meanwhile isn't told");
		return;
	}
	if (opened->wish->has_all_cgroups && !attr.cgroup)
		log_note("--all-cgroups: this kernel doesn't tell of them");
	opened->kernel_attr = attr;
	for (place = 0; place < opened->n_rings; place++)
		open_on(opened, place);
}

void open_kernel_return(struct opened *opened, uint32_t place)
{
	if (opened->kernel_attr.size)
		open_on(opened, place);
}
