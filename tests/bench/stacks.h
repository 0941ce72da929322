/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a recording with copies of stacks, in memory, and the address
 * spaces that they belong to. For the measurement of the unwinder, and for its
 * comparison with libunwind.
 */
#ifndef DWELL_BENCH_STACKS_H
#define DWELL_BENCH_STACKS_H

#include "common/file/reader.h"
#include "common/maps/maps.h"
#include "common/unwind/unwind.h"
#include "common/util/array.h"

struct stacks_file {
	uint32_t dso;
	struct elf_file *elf;
	struct cfi *cfi;
	struct elf_section eh_frame, eh_frame_hdr;
	const uint8_t *bytes; /* of the whole file; NULL: not there */
	size_t size;
};

struct stacks_sample {
	struct unwind_registers registers;
	struct unwind_memory memory; /* in STACKS' bytes */
	/* The user's part of the kernel's chain; most recordings have none. */
	ARRAY(uint64_t) kernel;
	uint32_t tid;
	uint32_t thread; /* threads counted from 0 */
	uint32_t space;  /* of maps */
};

struct stacks {
	enum unwind_arch arch;
	struct reader *reader;
	struct maps *maps;
	ARRAY(struct stacks_sample) samples;
	uint32_t n_threads;
	uint8_t *bytes; /* of all copies, one behind the other */
	size_t used, size;
	ARRAY(struct stacks_file) files; /* by dso; elf NULL: not read */
};

/* At most MAX bytes of stacks. */
void stacks_load(const char *path, size_t max, struct stacks *ret);
void stacks_deinit(struct stacks *stacks);
/* For struct unwind_space, with a struct stacks_view as its data. */
struct stacks_view {
	struct stacks *stacks;
	uint32_t space;
};
bool stacks_find(void *data, uint64_t pc, struct unwind_code *ret);
/* The file at PC, and its bias; NULL: none. */
struct stacks_file *stacks_file_at(struct stacks *stacks, uint32_t space,
	uint64_t pc, uint64_t *bias_ret);

/* Whether the bytes before PC are those of a call, as far as they are known. */
bool stacks_is_behind_call(struct stacks *stacks, uint32_t space, uint64_t pc);

#endif
