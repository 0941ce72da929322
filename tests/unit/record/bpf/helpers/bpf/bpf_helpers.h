/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for libbpf's header of this name, so that the code of the BPF program is
 * compiled for the processor of the test. The test defines the helpers.
 */
#ifndef DWELL_TESTS_BPF_HELPERS_H
#define DWELL_TESTS_BPF_HELPERS_H

#include <stdint.h>

#define SEC(name)
#define __uint(name, value) int(*name)[value]
#define __type(name, value) __typeof__(value) *name
#define __array(name, value) __typeof__(value) *name[]
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define __noinline __attribute__((noinline))

/* Returns the value of KEY in MAP, or NULL. */
void *bpf_map_lookup_elem(const void *map, const void *key);
/* Copy SIZE bytes of made memory. Return 0, or an error number. */
long bpf_probe_read_kernel(void *to, uint32_t size, const void *from);
long bpf_probe_read_user(void *to, uint32_t size, const void *from);

static inline long bpf_get_ns_current_pid_tgid(
	uint64_t device, uint64_t inode, void *ids, uint32_t size)
{
	(void)device;
	(void)inode;
	(void)ids;
	(void)size;
	return -1;
}

static inline uint64_t bpf_get_current_pid_tgid(void)
{
	return 0;
}

static inline uint32_t bpf_get_smp_processor_id(void)
{
	return 0;
}

static inline uint64_t bpf_ktime_get_ns(void)
{
	return 1;
}

#define bpf_loop(n, callback, data, flags)                              \
	({                                                              \
		uint32_t i_;                                            \
		for (i_ = 0; i_ < (n) && !(callback)(i_, (data)); i_++) \
			;                                               \
		(void)(flags);                                          \
	})

#endif
