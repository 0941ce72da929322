/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings of a recording: on each CPU one that the sideband of all threads
 * is written to, and one for all samples. Each belongs to an event of the
 * recorder's own thread that counts nothing; the real ones are redirected to
 * it. So a ring outlives every task and CPU that writes to it, and events can
 * come and go.
 */
#ifndef DWELL_RECORD_RING_RINGS_H
#define DWELL_RECORD_RING_RINGS_H

#include "common/util/cpus.h"
#include "record/event/open_fallback.h"
#include "record/ring/ring.h"

struct opened_ring {
	struct ring ring;
	int owner; /* descriptor to poll; -1: nothing on this CPU */
};

struct rings_plan {
	const struct opener *opener;
	const struct cpus *online, *sampled; /* samples only on the latter */
	/* Clock and direction are theirs: or events can't be redirected. */
	const struct perf_event_attr *sideband, *samples;
	size_t wanted; /* bytes of a ring for samples; 0: nobody said */
	size_t usual;  /* then it has so many; 0: a good size */
};

struct ring_set {
	size_t n; /* CPUs; in the order of the plan's ONLINE */
	struct opened_ring *sideband, *samples;
	size_t sample_size, sideband_size; /* bytes of a ring */
	bool is_backward; /* rings for samples: ring_backward.h */
};

/*
 * Bytes of a ring for samples that nobody has chosen, for N_CPUS of them: 1 MiB
 * for root and 512 KiB else, but halved as far as 256 KiB until all together
 * are no more than 128 MiB.
 */
size_t rings_good_size(size_t n_cpus, bool is_root);

/*
 * Opens and maps all rings, as large as may be locked. What doesn't fit is
 * halved; who wanted it is told. Returns 0 or an errno.
 */
int rings_open(struct ring_set *rings, const struct rings_plan *plan);
void rings_close(struct ring_set *rings);

#endif
