/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about the machine and the user, which the checks of `dwell doctor`
 * judge. Tests use a folder instead of the root of the file system.
 */
#ifndef DWELL_RECORD_DOCTOR_FACTS_H
#define DWELL_RECORD_DOCTOR_FACTS_H

#include "record/bpf/bpf_start.h"
#include "record/event/open_fallback.h"

struct facts {
	const char *root; /* "", or the folder instead of "/", below */
			  /* which the other facts are read */
	const struct opener *opener;
	struct caller_caps caller;
	struct pmus pmus;
	uint64_t n_cpus;   /* online CPUs */
	uint64_t memlock;  /* RLIMIT_MEMLOCK, bytes */
	uint64_t nofile;   /* RLIMIT_NOFILE, descriptors */
	char *bpf_refusal; /* why BPF cannot unwind stacks; NULL: it can */
};

/*
 * Reads the facts of this process and of the machine below ROOT ("": this
 * machine). ROOT and OPENER are borrowed until facts_deinit(). The BPF program
 * is loaded only on this machine.
 */
void facts_read(
	const char *root, const struct opener *opener, struct facts *ret);
void facts_deinit(struct facts *facts);

/*
 * Reads the number in the file PATH, such as "/proc/sys/...", below the root.
 * Returns false, and leaves RET as it is, if there is no number.
 */
bool facts_number(const struct facts *facts, const char *path, int64_t *ret);

/* Returns whether PATH exists below the root. */
bool facts_has(const struct facts *facts, const char *path);

/*
 * Returns the size in bytes of the largest ring buffer for samples that the
 * user can have on every CPU; SIZE_MAX: there is no limit.
 */
size_t facts_ring_size(const struct facts *facts);

#endif
