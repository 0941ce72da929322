/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/ring/rings.h"

#include <errno.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/ring/ring.h"

#define SAMPLE_SIZE_ROOT MIB(1)
#define SAMPLE_SIZE_USER KIB(512)
/*
 * Limit of the sample ring buffers of all CPUs together, but each CPU has at
 * least SAMPLE_SIZE_LEAST.
 */
#define SAMPLES_MAX MIB(128)
#define SAMPLE_SIZE_LEAST KIB(256)
#define SIDEBAND_SIZE KIB(128)
/*
 * Size with SWITCH records: a CPU can switch 200,000 times per second, which
 * makes 10 MB of records.
 */
#define SIDEBAND_SIZE_SWITCHES MIB(1)
/* With -m, a sideband ring buffer has at least this part of the wanted size. */
#define SIDEBAND_PART 8u
/*
 * If the limit of locked memory has halved sample ring buffers to this size,
 * sideband ring buffers are halved, too.
 */
#define SAMPLE_SIZE_SMALL KIB(64)

/*
 * Opens the dummy event that owns a ring buffer, of this thread on CPU, with
 * the clock and direction of LIKE. The ring buffer wakes the reader after
 * WATERMARK bytes; 0: when it is half full. Returns a descriptor, or -1 and
 * errno.
 */
static int open_owner(const struct opener *opener,
	const struct perf_event_attr *like, uint32_t cpu, uint32_t watermark)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = like->use_clockid,
		.clockid = like->clockid,
		.write_backward = like->write_backward,
		.watermark = 1,
		.wakeup_watermark = watermark,
	};

	return opener->open(opener, &attr, 0, (int)cpu);
}

static int open_owners(struct ring_set *rings, const struct rings_plan *plan)
{
	size_t i;

	for (i = 0; i < rings->n; i++) {
		uint32_t cpu = plan->online->list.at[i];

		/*
		 * 512 bytes wake the reader, which is less than the records of
		 * one exec, because mapped files have to be opened before their
		 * process ends. To wake it for each record would double the
		 * cost of a fork. Records of context switches are so many that,
		 * as with samples, a half full ring buffer (0) wakes the
		 * reader.
		 */
		rings->sideband[i].owner =
			open_owner(plan->opener, plan->sideband, cpu,
				plan->sideband->context_switch ? 0 : 512);
		if (rings->sideband[i].owner < 0)
			return errno;
		if (!cpus_has(plan->sampled, cpu))
			continue;
		rings->samples[i].owner =
			open_owner(plan->opener, plan->samples, cpu, 0);
		if (rings->samples[i].owner < 0)
			return errno;
	}
	return 0;
}

static void unmap_rings(struct ring_set *rings)
{
	size_t i;

	for (i = 0; i < rings->n; i++) {
		ring_unmap(&rings->sideband[i].ring);
		ring_unmap(&rings->samples[i].ring);
	}
}

/*
 * Returns the size of a sideband ring buffer beside a ring buffer for samples of
 * WANTED bytes (-m); 0: not given.
 */
static size_t sideband_size_for(const struct rings_plan *plan, size_t wanted)
{
	return MAX(wanted / SIDEBAND_PART,
		plan->sideband->context_switch ? SIDEBAND_SIZE_SWITCHES
					       : SIDEBAND_SIZE);
}

static bool halve_ring_size(
	struct ring_set *rings, const struct rings_plan *plan)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (rings->sample_size > SAMPLE_SIZE_SMALL) {
		rings->sample_size /= 2;
		if (plan->wanted)
			rings->sideband_size =
				sideband_size_for(plan, rings->sample_size);
	} else if (rings->sideband_size > page) {
		rings->sideband_size /= 2;
		rings->sample_size = MAX(rings->sample_size / 2, page);
	} else {
		return false;
	}
	return true;
}

static int map_fitting_rings(
	struct ring_set *rings, const struct rings_plan *plan)
{
	int errnum;

	for (;;) {
		size_t i;
		errnum = 0;

		for (i = 0; i < rings->n && !errnum; i++) {
			errnum = ring_map(&rings->sideband[i].ring,
				rings->sideband[i].owner, rings->sideband_size);
			if (!errnum && rings->samples[i].owner >= 0) {
				struct rings_entry *ring = &rings->samples[i];
				errnum = rings->is_backward
					? ring_backward_map(&ring->ring,
						  ring->owner,
						  rings->sample_size)
					: ring_map(&ring->ring, ring->owner,
						  rings->sample_size);
			}
		}
		if ((errnum != EPERM && errnum != ENOMEM) ||
			!halve_ring_size(rings, plan))
			return errnum;
		unmap_rings(rings);
	}
}

size_t rings_good_size(size_t n_cpus, bool is_root)
{
	size_t size = is_root ? SAMPLE_SIZE_ROOT : SAMPLE_SIZE_USER;

	while (size > SAMPLE_SIZE_LEAST && n_cpus * size > SAMPLES_MAX)
		size /= 2;
	return size;
}

int rings_open(struct ring_set *rings, const struct rings_plan *plan)
{
	size_t good_size = plan->usual
		? plan->usual
		: rings_good_size(plan->sampled->list.n, geteuid() == 0);
	size_t i;
	int errnum;

	*rings = (struct ring_set){
		.n = plan->online->list.n,
		.sample_size = plan->wanted ? plan->wanted : good_size,
		.sideband_size = sideband_size_for(plan, plan->wanted),
		.is_backward = plan->samples->write_backward,
	};
	rings->sideband = xcalloc(rings->n, sizeof(*rings->sideband));
	rings->samples = xcalloc(rings->n, sizeof(*rings->samples));
	for (i = 0; i < rings->n; i++)
		rings->sideband[i].owner = rings->samples[i].owner = -1;
	errnum = open_owners(rings, plan);
	if (!errnum)
		errnum = map_fitting_rings(rings, plan);
	/* Without -m, the size that fits is used silently. */
	if (!errnum && plan->wanted && rings->sample_size < plan->wanted)
		log_note("ring buffers have %zu KiB per CPU, the limit of "
			 "locked memory; for larger ones, as root: sysctl "
			 "kernel.perf_event_mlock_kb=%zu",
			rings->sample_size / 1024,
			(plan->wanted + sideband_size_for(plan, plan->wanted)) /
					1024 +
				8);
	return errnum;
}

void rings_close(struct ring_set *rings)
{
	size_t i;

	unmap_rings(rings);
	for (i = 0; i < rings->n; i++) {
		if (rings->sideband[i].owner >= 0)
			close(rings->sideband[i].owner);
		if (rings->samples[i].owner >= 0)
			close(rings->samples[i].owner);
	}
	free(rings->sideband);
	free(rings->samples);
	rings->n = 0;
}
