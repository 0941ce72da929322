/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of jitcodes share. */
#ifndef DWELL_COMMON_JIT_JITCODES_PRIVATE_H
#define DWELL_COMMON_JIT_JITCODES_PRIVATE_H

#include "common/unwind/unwind_arch.h"
#include "common/util/array.h"
#include "common/util/hash.h"

struct jitcode;
struct jitcode_told;

/* What no code of some that lie side by side in the list goes beyond. */
struct jitcodes_hull {
	uint64_t end;   /* the highest */
	uint64_t since; /* the first */
	size_t order;   /* the last */
};

struct jitcodes {
	int fd;
	struct jitdump *dump;
	enum unwind_arch arch;
	/* By start and order, but the last N_RECENT: as they came. */
	ARRAY(struct jitcode) list;
	size_t n_recent;
	ARRAY(uint64_t) times; /* since when, ascending */
	ARRAY(struct jitcode_told) told;
	/* Which of TOLD an index means now. */
	ARRAY(struct {
		uint64_t index;
		size_t told;
	}) meanings;
	struct hash_index by_index; /* of MEANINGS */
	/* Of what is sorted, for jitcodes_find(): */
	ARRAY(struct jitcodes_hull) hulls; /* a tree: 1 is the root */
	ARRAY(uint64_t) ends;              /* ascending */
};

/* After the list was sorted. */
void jitcodes_index(struct jitcodes *codes);

#endif
