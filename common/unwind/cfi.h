/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind rules of one piece of code: an ELF file, the vDSO, or JIT code
 * with unwinding information. The rules are read once and compiled to about
 * four bytes per row (cfi_table.h). They do not change afterwards, so threads
 * share them. Rules that the compiled form cannot hold (CFI_COMPLEX) are
 * interpreted from the CFI bytes, which the object keeps or reads again from
 * the file. Addresses are link-time addresses.
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
 * If FILE has no .debug_frame, the one of DEBUG or of FILE's .gnu_debugdata is
 * used. DEBUG may be NULL. Both files are borrowed; their descriptors are
 * duplicated. A file without rules is not an error, see cfi_facts().
 */
struct error *cfi_create(struct elf_file *file, struct elf_file *debug,
	struct cfi **ret) _must_check_;

/*
 * As cfi_create(), with a cache of the compiled rules of large files. A damaged
 * cache file cannot cause a lookup outside of the table. CACHE may be NULL.
 * Thread-safe.
 */
struct error *cfi_cache_create(struct cache *cache, struct elf_file *file,
	struct elf_file *debug, struct cfi **ret) _must_check_;
/* Kind of cache, for cache_open(). */
#define CFI_CACHE "cfi"

/* An .eh_frame in memory, as in JIT_CODE_UNWINDING_INFO. */
struct cfi_bytes {
	enum unwind_arch arch;
	const uint8_t *eh_frame; /* copied */
	size_t eh_frame_size;
	uint64_t eh_frame_address; /* same address space as the code */
	uint64_t eh_frame_hdr_address;
	uint64_t start, end; /* of the code */
};
/* Returns NULL if the .eh_frame has no readable FDE. */
struct cfi *cfi_create_from_bytes(const struct cfi_bytes *bytes);

void cfi_destroy(struct cfi *cfi);

struct cfi_facts {
	enum unwind_arch arch;
	uint32_t n_fdes, n_rows, n_rules;
	size_t size_bytes; /* of the compiled form */
};
struct cfi_facts cfi_facts(const struct cfi *cfi);

/* Returns a number above 0 that no other struct cfi has. */
uint32_t cfi_id(const struct cfi *cfi);

/* Returns the rule at ADDRESS, or CFI_NONE. Thread-safe. */
uint32_t cfi_rule(struct cfi *cfi, uint64_t address);

/*
 * Returns the full row at ADDRESS from the CFI bytes, for CFI_COMPLEX. The
 * first call may read the file. EXPRESSIONS_RET is the section that contains
 * the row's expressions. Returns false if there is no row or the file cannot be
 * read. Thread-safe.
 */
struct cfi_row;
struct cfi_section;
bool cfi_row(struct cfi *cfi, uint64_t address, struct cfi_row *ret,
	const struct cfi_section **expressions_ret);

/*
 * Returns true if the code of an FDE, which is one function or one part of a
 * split function, ends before ADDRESS or begins there. Thread-safe.
 */
bool cfi_ends_at(const struct cfi *cfi, uint64_t address);

/* Starts recording which rules are looked up. Call before CFI is shared. */
void cfi_watch(struct cfi *cfi);
/*
 * Returns the rules that were looked up since cfi_watch(). No lookup may run at
 * the same time. The caller calls cfi_subset_deinit().
 */
struct cfi_subset;
void cfi_watched_subset(const struct cfi *cfi, struct cfi_subset *ret);
/* Creates rules from SUBSET only, and empties SUBSET. */
struct cfi *cfi_create_from_subset(struct cfi_subset *subset);

/*
 * Sets a function that returns further rules for the same addresses, which are
 * used where CFI has none. FIND is called once, by the first lookup without a
 * result, on any thread; CFI owns its result, which may be NULL. Call before
 * CFI is shared. Lookups in the further rules are recorded by cfi_watch(), too.
 */
void cfi_set_fallback(
	struct cfi *cfi, struct cfi *(*find)(void *data), void *data);

#endif
