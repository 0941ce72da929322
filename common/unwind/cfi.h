/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind rules of one piece of code: an ELF file, the vDSO, or JIT code
 * with unwinding information. The rules are read once and compiled to about
 * four bytes per CFI row (cfi_table.h). The compiled rules do not change
 * afterwards, so threads share them. Rows that do not fit into a compiled rule
 * (CFI_COMPLEX) are interpreted from the CFI bytes, which struct cfi keeps or
 * reads again from the file. Addresses are link-time addresses.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_H
#define DWELL_COMMON_UNWIND_CFI_H

#include "common/elf/cache.h"
#include "common/elf/elf.h"
#include "common/unwind/cfi_rule.h"
#include "common/unwind/unwind_arch.h"

struct cfi;

/*
 * Compiles the rules in FILE's .eh_frame and .debug_frame, compressed or not.
 * If FILE has no .debug_frame, the .debug_frame of DEBUG or of FILE's
 * .gnu_debugdata is used. DEBUG may be NULL. Both files are borrowed; their
 * descriptors are duplicated. A FILE without rules is not an error; cfi_facts()
 * then has 0 FDEs.
 */
struct error *cfi_create(struct elf_file *file, struct elf_file *debug,
	struct cfi **ret) _must_check_;

/*
 * Creates a struct cfi like cfi_create(), but loads the compiled rules of a
 * large FILE from CACHE, or stores them in CACHE. A damaged cache file cannot
 * cause a lookup outside of the table. CACHE may be NULL. Thread-safe.
 */
struct error *cfi_cache_create(struct cache *cache, struct elf_file *file,
	struct elf_file *debug, struct cfi **ret) _must_check_;
/* Name of the cache of compiled rules, for cache_open(). */
#define CFI_CACHE "cfi"

/* An .eh_frame in memory, as in JIT_CODE_UNWINDING_INFO. */
struct cfi_bytes {
	enum unwind_arch arch;
	const uint8_t *eh_frame; /* copied */
	size_t eh_frame_size;
	uint64_t eh_frame_address; /* in the address space of .start */
	uint64_t eh_frame_hdr_address;
	uint64_t start, end; /* address range of the code */
};
/*
 * Compiles the rules in BYTES. Returns NULL if the .eh_frame has no readable
 * FDE.
 */
struct cfi *cfi_create_from_bytes(const struct cfi_bytes *bytes);

void cfi_destroy(struct cfi *cfi);

struct cfi_facts {
	enum unwind_arch arch;
	uint32_t n_fdes, n_rows, n_rules;
	size_t size_bytes; /* size of the compiled rules */
};
struct cfi_facts cfi_facts(const struct cfi *cfi);

/* Returns a number above 0 that no other struct cfi has. */
uint32_t cfi_id(const struct cfi *cfi);

/*
 * Returns the unwind rule (cfi_rule.h) for ADDRESS, or CFI_NONE. Thread-safe.
 */
uint32_t cfi_rule(struct cfi *cfi, uint64_t address);

/*
 * Sets RET to the full CFI row for ADDRESS, which is needed if cfi_rule()
 * returns CFI_COMPLEX. The first call may read the file. *EXPRESSIONS_RET is
 * the section that contains the row's DWARF expressions. Returns false if there
 * is no row or the file cannot be read. Thread-safe.
 */
struct cfi_row;
struct cfi_section;
bool cfi_row(struct cfi *cfi, uint64_t address, struct cfi_row *ret,
	const struct cfi_section **expressions_ret);

/*
 * Returns true if the code of an FDE, which is one function or one part of a
 * split function, begins at ADDRESS or ends directly before ADDRESS.
 * Thread-safe.
 */
bool cfi_ends_at(const struct cfi *cfi, uint64_t address);

/*
 * Starts to record which rules of CFI are looked up. Call before other threads
 * use CFI.
 */
void cfi_lookups_start(struct cfi *cfi);
/*
 * Sets RET to the rules of CFI that were looked up since cfi_lookups_start().
 * No lookup in CFI may run at the same time. The caller frees RET with
 * cfi_subset_deinit().
 */
struct cfi_subset;
void cfi_lookups_subset(const struct cfi *cfi, struct cfi_subset *ret);
/* Creates a struct cfi with only the rules in SUBSET. Empties SUBSET. */
struct cfi *cfi_create_from_subset(struct cfi_subset *subset);

/*
 * Sets FIND, which returns the fallback rules: rules for addresses at which CFI
 * has no rule. FIND is called once, by the first lookup in CFI without a
 * result, on any thread. CFI owns the fallback rules, which may be NULL. Call
 * before other threads use CFI. cfi_lookups_subset() includes fallback rules
 * that were looked up, if FIND called cfi_lookups_start() for the fallback
 * rules.
 */
void cfi_set_fallback(
	struct cfi *cfi, struct cfi *(*find)(void *data), void *data);

/* Returns the compiled rules of CFI (cfi_table.h), borrowed. */
struct cfi_table;
const struct cfi_table *cfi_compiled(const struct cfi *cfi);

#endif
