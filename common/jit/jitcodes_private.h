/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data structures shared by jitcodes*.c. */
#ifndef DWELL_COMMON_JIT_JITCODES_PRIVATE_H
#define DWELL_COMMON_JIT_JITCODES_PRIVATE_H

#include "common/unwind/unwind_arch.h"
#include "common/util/array.h"
#include "common/util/hash.h"

struct jitcode;
struct jitcode_load;

/* Bounds of a group of JIT codes that are neighbors in codes->list. */
struct jitcodes_hull {
	uint64_t end;	/* highest end address */
	uint64_t since; /* earliest load time */
	size_t order;	/* highest .order */
};

struct jitcodes {
	int fd;
	struct jitdump *dump;
	enum unwind_arch arch;
	/*
	 * JIT codes, sorted by .start and .order, except the last .n_recent
	 * codes, which are in file order.
	 */
	ARRAY(struct jitcode) list;
	size_t n_recent;
	ARRAY(uint64_t) times; /* load times of all codes, ascending */
	ARRAY(struct jitcode_load) loads;
	/* The newest load of each code index. */
	ARRAY(struct {
		uint64_t index;
		size_t load;
	})
	newest_loads;
	struct hash_index by_index; /* .newest_loads by code index */
	/* Index of the sorted codes, for jitcodes_find(): */
	/* a binary tree: hulls[1] is the root */
	ARRAY(struct jitcodes_hull) hulls;
	ARRAY(uint64_t) ends; /* end addresses, ascending */
};

/* Builds codes->hulls and codes->ends. Call after codes->list was sorted. */
void jitcodes_index(struct jitcodes *codes);

#endif
