/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/doctor/facts.h"

#include <sys/resource.h>

#include "common/util/alloc.h"
#include "record/sys/sysfile.h"

/* Bytes of the sideband ring buffer of each CPU without -m. */
#define SIDEBAND_RING KIB(128)

static uint64_t resource_limit(int resource)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit) < 0)
		return 0;
	/* dwell record raises its own limit of descriptors to the hard limit.
	 */
	return resource == RLIMIT_NOFILE ? limit.rlim_max : limit.rlim_cur;
}

void facts_read(
	const char *root, const struct opener *opener, struct facts *ret)
{
	_cleanup_free_ char *devices =
		xasprintf("%s/sys/bus/event_source/devices", root);
	struct cpus online;

	*ret = (struct facts){
		.root = root,
		.opener = opener,
		.memlock = resource_limit(RLIMIT_MEMLOCK),
		.nofile = resource_limit(RLIMIT_NOFILE),
	};
	caller_caps_read(root, &ret->caller);
	pmus_read(devices, &ret->pmus);
	sysfile_cpus_online(&online);
	ret->n_cpus = online.list.n;
	cpus_deinit(&online);
	struct bpf_unwind *bpf = NULL;
	struct error *err = *ret->root ? bpf_refuse_caller(&ret->caller)
				       : bpf_start(&ret->caller, false, &bpf);
	char *text = err ? xstrdup(err->text) : NULL;

	error_free(err);
	bpf_unwind_destroy(bpf);
	ret->bpf_refusal = text;
}

void facts_deinit(struct facts *facts)
{
	free(facts->bpf_refusal);
	pmus_deinit(&facts->pmus);
}

bool facts_number(const struct facts *facts, const char *path, int64_t *ret)
{
	_cleanup_free_ char *full = xasprintf("%s%s", facts->root, path);

	return sysfile_number(full, ret);
}

bool facts_has(const struct facts *facts, const char *path)
{
	_cleanup_free_ char *full = xasprintf("%s%s", facts->root, path);

	return access(full, F_OK) == 0;
}

size_t facts_ring_size(const struct facts *facts)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), per_cpu;
	int64_t kib = 0;

	if (caller_caps_are_full(&facts->caller) ||
		caller_caps_has(&facts->caller, CALLER_CAP_IPC_LOCK))
		return SIZE_MAX;
	facts_number(facts, "/proc/sys/kernel/perf_event_mlock_kb", &kib);
	per_cpu = (uint64_t)MIN(MAX(kib, 0), 1 << 30) * 1024 +
		MIN(facts->memlock, UINT64_C(1) << 50) /
			MAX(facts->n_cpus, UINT64_C(1));
	/*
	 * Each ring buffer needs one more page. The limit of locked memory
	 * holds for the sum of all ring buffers.
	 */
	uint64_t taken = SIDEBAND_RING + 2 * page, ring = page;

	if (per_cpu < taken + page)
		return 0;
	while (ring * 2 <= per_cpu - taken)
		ring *= 2;
	return ring;
}
