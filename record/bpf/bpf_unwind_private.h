/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loaded BPF programs, for the files of this folder that use libbpf. */
#ifndef DWELL_RECORD_BPF_BPF_UNWIND_PRIVATE_H
#define DWELL_RECORD_BPF_BPF_UNWIND_PRIVATE_H

#include <bpf/libbpf.h>
#include <pthread.h>

#include "common/util/array.h"
#include "common/util/hash.h"
#include "record/bpf/chain_join.h"
#include "record/event/open_fallback.h"

/* Limit of unknown files; others are noted when they are sampled again. */
#define UNKNOWN_MAX 64u

struct bpf_unwind {
	struct bpf_object *object; /* owned */
	int program, tables, slabs, output, counts, records, runtimes,
		variables;
	struct chain_settings settings;
	struct opener opener;
	bool keeps_copies;
	ARRAY(struct bpf_link *) links; /* of bpf_waits.h; owned */
	ARRAY(struct bpf_output {
		int fd;
		uint64_t id;
	})
	outputs;
	struct hash_index by_id;	/* index of .outputs by event ID */
	pthread_mutex_t lock;		/* guards the following members */
	ARRAY(struct chain_file) files; /* that the program knows */
	struct chain_unknown unknown[UNKNOWN_MAX];
	size_t n_unknown;	/* atomic */
	uint32_t *slab;		/* mapped memory of the last slab */
	uint32_t n_slabs, used; /* words used of the last slab */
};

/* Gives .settings to the programs. */
void bpf_unwind_set(const struct bpf_unwind *bpf);
/* Returns the descriptor of the map NAME; borrowed. */
int bpf_unwind_map(const struct bpf_unwind *bpf, const char *name);
/* Sets SUMS, a struct of SIZE bytes of counts, to the sums of the values in MAP. */
void bpf_unwind_sum(int map, void *sums, size_t size);

#endif
