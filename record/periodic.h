/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks that run about once a second while recording: CPUs that go offline or
 * come online, lost sideband records, and the time of the BPF program.
 */
#ifndef DWELL_RECORD_PERIODIC_H
#define DWELL_RECORD_PERIODIC_H

#include "record/kernel_unwinding.h"
#include "record/open/event_fds.h"
#include "record/recording_stages.h"
#include "record/sys/hotplug.h"

/*
 * The caller sets .options, .opened, .stages, .head, .bpf (all borrowed) and
 * .uevents, and zeroes the other members.
 */
struct periodic {
	const struct options *options;
	struct event_fds *opened;
	struct recording_stages *stages;
	struct features *head;	/* the file header, from file_head_describe() */
	int uevents;		/* descriptor from uevents_open(); closed by
				   periodic_deinit() */
	struct bpf_unwind *bpf; /* or NULL */
	struct kernel_unwinding_watch watch;
	struct hotplug hotplug;
	bool has_lost_sideband;
	bool has_new_ids; /* event IDs that HEAD does not contain yet */
};

/*
 * Checks for CPUs that went offline or came online, and for lost sideband
 * records. DATA is a struct periodic. Call this function about once a second.
 */
void periodic_check(void *data);
/*
 * Handles device events of CPUs. Call this function when .uevents of DATA, a
 * struct periodic, is readable.
 */
void periodic_on_uevent(void *data);
/*
 * Adds the event IDs of CPUs that are online again to .head. No other thread
 * may read .head during the call.
 */
void periodic_add_ids(struct periodic *periodic);
void periodic_deinit(struct periodic *periodic);

#endif
