/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One step of the unwinder at an address of a file, and what libdw and
 * libunwind say of it. Registers and memory are made up, so that the least
 * difference shows. For tests/peer/frames.
 */
#ifndef DWELL_PEER_ROW_H
#define DWELL_PEER_ROW_H

#include <elfutils/libdw.h>

#include "common/unwind/cfi_private.h"
#include "common/unwind/unwind.h"

struct row_file {
	const char *name;
	enum unwind_arch arch;
	uint64_t stack; /* where it begins; within 32 bits for i386 */
	struct unwind_registers registers;
	struct elf_file *elf;
	struct cfi *cfi;
	struct cfi_source source;
	struct unwinder *unwinder;
	int fd; /* of libdw's own */
	Elf *handle;
	Dwarf_CFI *eh_frame; /* NULL: it has none */
	void *libunwind;     /* its address space */
};

/* What a step leads to. */
struct outcome {
	uint64_t sp, fp, pc;
	uint64_t fp_at, pc_at; /* where they lay; 0: nowhere */
	bool is_root, is_none;
};

struct error *row_open(const char *name, struct row_file *ret) _must_check_;
void row_close(struct row_file *file);

/* Any address has its own contents, and all are addresses of the stack. */
uint64_t row_contents(const struct row_file *file, uint64_t address);

/* By compiled rules, or interpreted; gives whether it was interpreted. */
bool row_ask_dwell(struct row_file *file, uint64_t address, bool is_slow,
	struct outcome *ret);
/* False: an operation that isn't known here. */
bool row_ask_libdw(
	const struct row_file *file, uint64_t address, struct outcome *ret);
/* False: dwell was built without it, or it isn't for this processor. */
bool row_ask_libunwind(
	struct row_file *file, uint64_t address, struct outcome *ret);
void row_close_libunwind(struct row_file *file);

#endif
