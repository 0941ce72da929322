/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads the samples of a recording that have stack copies into memory, with
 * their address spaces. Used to measure the unwinder and to compare it with
 * libunwind and libdw. For recordings of x86-64.
 */
#ifndef DWELL_BENCH_STACKS_H
#define DWELL_BENCH_STACKS_H

#include "common/file/reader.h"
#include "common/maps/maps.h"
#include "common/unwind/unwind.h"
#include "common/util/array.h"
#include "report/check/judge.h"

struct stacks_file {
	uint32_t dso;
	struct elf_file *elf;
	struct cfi *cfi;
	struct elf_section eh_frame, eh_frame_hdr;
	const uint8_t *bytes; /* the whole file, or NULL */
	size_t size;
};

struct stacks_sample {
	struct unwind_registers registers;
	struct unwind_memory memory; /* in STACKS' bytes */
	/*
	 * The user frames of the kernel's call chain; empty in most recordings.
	 */
	ARRAY(uint64_t) kernel;
	uint32_t tid;
	uint32_t thread; /* threads counted from 0 */
	uint32_t space;	 /* of maps */
};

struct stacks {
	enum unwind_arch arch;
	struct reader *reader;
	struct maps *maps;
	ARRAY(struct stacks_sample) samples;
	uint32_t n_threads;
	uint8_t *bytes; /* all stack copies, concatenated */
	size_t used, size;
	/* Indexed by DSO. If the file cannot be read, .elf is NULL. */
	ARRAY(struct stacks_file) files;
};

/*
 * Loads the samples of the recording at PATH, with at most MAX bytes of stack
 * copies. An error ends the program.
 */
void stacks_load(const char *path, size_t max, struct stacks *ret);
void stacks_deinit(struct stacks *stacks);
/* The DATA of stacks_find(), which is a callback of struct unwind_space. */
struct stacks_view {
	struct stacks *stacks;
	uint32_t space;
};
bool stacks_find(void *data, uint64_t pc, struct unwind_code *ret);
/* Returns the file mapped at PC with its load bias, or NULL; borrowed. */
struct stacks_file *stacks_file_at(
	struct stacks *stacks, uint32_t space, uint64_t pc, uint64_t *bias_ret);

/* The .find of struct judge_files; DATA is a struct stacks. */
bool stacks_find_judged(
	void *data, uint32_t space, uint64_t pc, struct judge_code *ret);

/*
 * Returns true if the bytes before PC are a call instruction, or if they cannot
 * be read. Returns false if no mapping contains them.
 */
bool stacks_is_behind_call(struct stacks *stacks, uint32_t space, uint64_t pc);

#endif
