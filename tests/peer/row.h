/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds one frame at an address of a file, with dwell, libdw and libunwind.
 * Registers and memory have made-up contents that are all different, so that
 * any difference is visible. For tests/peer/frames.
 */
#ifndef DWELL_PEER_ROW_H
#define DWELL_PEER_ROW_H

#include <elfutils/libdw.h>

#include "common/unwind/cfi_private.h"
#include "common/unwind/unwind.h"

struct row_file {
	const char *name;
	enum unwind_arch arch;
	uint64_t stack; /* its lowest address; within 32 bits for i386 */
	struct unwind_registers registers;
	struct elf_file *elf;
	struct cfi *cfi;
	struct cfi_source source;
	struct unwinder *unwinder;
	int fd; /* of .handle, for libdw */
	Elf *handle;
	Dwarf_CFI *eh_frame; /* NULL if the file has none */
	void *libunwind;     /* libunwind's address space, or NULL */
};

/* The caller's frame. */
struct outcome {
	uint64_t sp, fp, pc;
	uint64_t fp_at, pc_at; /* where they were saved, or 0 */
	bool is_root, is_none;
};

struct error *row_open(const char *name, struct row_file *ret) _must_check_;
void row_close(struct row_file *file);

/* Returns the word at ADDRESS: an address of the stack that depends on it. */
uint64_t row_contents(const struct row_file *file, uint64_t address);

/*
 * Unwinds with compiled rules, or with interpreted rules if IS_SLOW. Returns
 * true if a rule was interpreted.
 */
bool row_step_dwell(struct row_file *file, uint64_t address, bool is_slow,
	struct outcome *ret);
/* Returns false if a rule has a DWARF operation that this test cannot run. */
bool row_step_libdw(
	const struct row_file *file, uint64_t address, struct outcome *ret);
/* Returns false without libunwind, or if FILE is not for x86-64. */
bool row_step_libunwind(
	struct row_file *file, uint64_t address, struct outcome *ret);
void row_close_libunwind(struct row_file *file);

#endif
