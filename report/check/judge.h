/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other libraries that unwind, and the call chain that the kernel recorded, as
 * judges of dwell's unwinder: from the same registers, stack copy and files to
 * return addresses. The user of a judge finds the files.
 */
#ifndef DWELL_REPORT_CHECK_JUDGE_H
#define DWELL_REPORT_CHECK_JUDGE_H

#include "common/elf/elf.h"
#include "common/unwind/unwind.h"

/* The file of the code at an address. */
struct judge_code {
	uint32_t dso;  /* number of the file */
	uint64_t bias; /* address - bias: linked address, or the file offset if
	                * there is no file */
	struct elf_file *elf; /* borrowed; NULL: not found */
	/* Sections of .elf; size 0: missing. */
	struct elf_section eh_frame, eh_frame_hdr;
};
struct judge_files {
	/* Returns false if nothing is mapped at PC in the address space SPACE. */
	bool (*find)(void *data, uint32_t space, uint64_t pc,
		struct judge_code *ret);
	void *data;
};

/* A stack that a judge unwinds; all pointers are borrowed for the call. */
struct judge_stack {
	uint32_t space; /* for judged_files.find() */
	const struct unwind_registers *registers;
	const struct unwind_memory *memory;
	/* The user part of the sample's call chain. */
	const uint64_t *recorded;
	size_t n_recorded;
};

struct judge {
	const char *name; /* argument of --check-unwinding */
	/* Whether the library can unwind stacks of ARCH on this machine. */
	bool (*supports)(enum unwind_arch arch);
	/*
	 * FILES is copied; its .data is borrowed until .destroy(). Both are NULL
	 * for a judge without a state.
	 */
	void *(*create)(const struct judge_files *files, enum unwind_arch arch);
	void (*destroy)(void *state);
	/*
	 * Writes at most ROOM frames of STACK to PCS, the sampled pc first, then
	 * return addresses. Returns the number of frames, at least 1.
	 */
	size_t (*unwind)(void *state, const struct judge_stack *stack,
		uint64_t *pcs, size_t room);
};

/*
 * judge_libunwind.supports() is false, and there is no .unwind, if dwell was
 * built without libunwind.
 */
extern const struct judge judge_libdw, judge_libunwind;
/* The recorded call chain: of BPF (with --keep-stacks), or of frame pointers. */
extern const struct judge judge_kernel;

#endif
