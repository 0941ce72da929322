/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwinding rules of one piece of code: an ELF file, the vdso, what a JIT
 * compiler tells of its code. Read once, compiled to some four bytes per row
 * (cfi_table.h), never changed afterwards, and so shared by all threads. What
 * the compiled form can't hold is interpreted from the bytes again; they are
 * kept, or the file is. Addresses are as linked. For the unwinder; knows no
 * processes.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_H
#define DWELL_COMMON_UNWIND_CFI_H

#include "common/elf/elf.h"
#include "common/unwind/cfi_rule.h"
#include "common/unwind/unwind_arch.h"

struct cfi;

/*
 * The rules in .eh_frame and .debug_frame of FILE, compressed or not; without
 * the latter, in its debug file's, or that of its .gnu_debugdata. DEBUG may be
 * NULL. Both are borrowed; their descriptors are duplicated. A file without any
 * rules is no error, see cfi_facts().
 */
struct error *cfi_create(struct elf_file *file, struct elf_file *debug,
	struct cfi **ret) _must_check_;

/*
 * Whether FILE has next to no rules for its code, but in .gnu_debugdata: so its
 * debug file may have them.
 */
bool cfi_is_sparse(struct elf_file *file);

/* An .eh_frame in memory, as JIT_CODE_UNWINDING_INFO has it. */
struct cfi_bytes {
	enum unwind_arch arch;
	const uint8_t *eh_frame; /* copied */
	size_t eh_frame_size;
	uint64_t eh_frame_address; /* in the same space as the code's */
	uint64_t eh_frame_hdr_address;
	uint64_t start, end; /* the code */
};
/* NULL if nothing in there can be read. */
struct cfi *cfi_create_from_bytes(const struct cfi_bytes *bytes);

void cfi_destroy(struct cfi *cfi);

struct cfi_facts {
	enum unwind_arch arch;
	uint32_t n_fdes, n_rows, n_rules;
	size_t size_bytes; /* of the compiled form */
};
struct cfi_facts cfi_facts(const struct cfi *cfi);

/* Its number, above 0; no two ever have the same. */
uint32_t cfi_id(const struct cfi *cfi);

/* CFI_NONE where there is nothing; of any thread, as often as it likes. */
uint32_t cfi_rule(struct cfi *cfi, uint64_t address);

/*
 * The same in full, from the bytes; for CFI_COMPLEX. The first call may read
 * them from the file. EXPRESSIONS_RET is where the row's expressions lie. False
 * if there is no row or the bytes can't be had any more.
 */
struct cfi_row;
struct cfi_section;
bool cfi_row(struct cfi *cfi, uint64_t address, struct cfi_row *ret,
	const struct cfi_section **expressions_ret);

/*
 * Returns true if the code of an FDE, which is one function or one part of a split
 * function, ends before ADDRESS or begins there. Thread-safe.
 */
bool cfi_ends_at(const struct cfi *cfi, uint64_t address);

/* From now on CFI remembers what it is asked; before anybody else has it. */
void cfi_watch(struct cfi *cfi);
/* What it was asked since then; nobody asks meanwhile. Is to be deinited. */
struct cfi_answers;
void cfi_answers_of(const struct cfi *cfi, struct cfi_answers *ret);
/* Rules that give the same answers, and no others. Empties ANSWERS. */
struct cfi *cfi_create_from_answers(struct cfi_answers *answers);

/*
 * Who is asked where CFI has no answer: FIND gives it when that is first so, once,
 * and on any thread. It knows the same addresses, and is CFI's from then on; NULL:
 * nobody. Told before anybody else has CFI; what is answered counts as CFI's.
 */
void cfi_set_rest(
	struct cfi *cfi, struct cfi *(*find)(void *data), void *data);

#endif
