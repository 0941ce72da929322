/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring buffers of a recording: on each CPU one for the sideband of all
 * threads and one for all samples. Each ring buffer belongs to a dummy event of
 * the recorder's own thread, and the other events are redirected to it. So a
 * ring buffer outlives every task and CPU that writes to it, and events can
 * be opened and closed at any time.
 */
#ifndef DWELL_RECORD_RING_RINGS_H
#define DWELL_RECORD_RING_RINGS_H

#include "common/util/cpus.h"
#include "record/event/open_fallback.h"
#include "record/ring/ring.h"

struct rings_entry {
	struct ring ring;
	int owner; /* descriptor of the dummy event, to poll; -1: no ring buffer
		      on this CPU */
};

struct rings_plan {
	const struct opener *opener;
	const struct cpus *online, *sampled; /* samples only on SAMPLED */
	/*
	 * Attributes of the sideband event and of an event with samples: ring
	 * buffers need the same clock and direction.
	 */
	const struct perf_event_attr *sideband, *samples;
	size_t wanted; /* -m: bytes of a ring buffer for samples; 0: default */
	size_t usual;  /* the default size in bytes; 0: rings_good_size() */
};

struct ring_set {
	size_t n; /* number of CPUs, in the order of the plan's ONLINE */
	struct rings_entry *sideband, *samples;
	size_t sample_size, sideband_size; /* bytes of a ring buffer */
	bool is_backward; /* sample ring buffers are read backward (ring.h) */
};

/*
 * Returns the default size in bytes of a ring buffer for samples on N_CPUS
 * CPUs: 1 MiB for root and 512 KiB otherwise, but halved down to 256 KiB until
 * the total is at most 128 MiB.
 */
size_t rings_good_size(size_t n_cpus, bool is_root);

/*
 * Opens and maps all ring buffers. Sizes above the limit of locked memory are
 * halved, with a message if the user set the size. Returns 0 or an errno.
 */
int rings_open(struct ring_set *rings, const struct rings_plan *plan);
void rings_close(struct ring_set *rings);

#endif
