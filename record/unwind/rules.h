/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the unwind rules of mapped code by address space and address. Rules are
 * read from a file when first needed, and kept while the number of open files
 * is below a limit. A file is the descriptor that the file tracker holds open,
 * or the file at the mapped path.
 *
 * Thread-safe, as long as no thread changes the maps.
 */
#ifndef DWELL_RECORD_UNWIND_RULES_H
#define DWELL_RECORD_UNWIND_RULES_H

#include "common/maps/maps.h"
#include "common/unwind/unwind.h"
#include "record/symbols/file_tracker.h"

struct rules;

/* TRACKER is borrowed. If NULL, files are opened at the mapped paths. */
struct rules *rules_create(struct file_tracker *tracker);
/* Gives the rules of each opened file to BPF, which is borrowed; NULL: none. */
struct bpf_unwind;
void rules_set_bpf(struct rules *rules, struct bpf_unwind *bpf);
void rules_destroy(struct rules *rules);
/* Call rules_restart() when new maps with other DSO numbers are used. */
void rules_restart(struct rules *rules);

/*
 * A place of code: address space SPACE of MAPS, process PID, at TIME
 * (clocks_now()).
 */
struct rules_place {
	const struct maps *maps;
	uint32_t space, pid;
	uint64_t time;
};
/*
 * Opens the file of MAP, a mapping of code, before its rules are needed. Does
 * nothing if many files are open.
 */
void rules_prepare(struct rules *rules, const struct record_mmap *map);
/*
 * Gives the rules of the files of PLACE's process to BPF that its program did
 * not know.
 */
void rules_share_unknown(struct rules *rules, const struct rules_place *place);
/* Frees unused rules. No thread may use rules that were returned before. */
void rules_settle(struct rules *rules);
/*
 * Returns a number that identifies the state of the rules at PLACE. While the
 * number is the same, rules_find() returns the same results for mapped code.
 * The number changes when JIT code is added and when files are closed.
 */
uint64_t rules_version(struct rules *rules, const struct rules_place *place);
/*
 * Finds the code at PC. RET->cfi is borrowed until rules_settle(). Returns
 * false if nothing is mapped at PC.
 */
bool rules_find(struct rules *rules, const struct rules_place *place,
	uint64_t pc, struct unwind_code *ret);
/* Returns whether PLACE's process has a jitdump, which describes its JIT code. */
bool rules_has_jitdump(struct rules *rules, const struct rules_place *place);
/*
 * Finds the number of the file at PC, and its path, which is borrowed. Returns
 * false for code without a file, such as JIT code.
 */
bool rules_file(struct rules *rules, const struct rules_place *place,
	uint64_t pc, uint32_t *number_ret, const char **path_ret);
/* Returns true if a file is mapped at PC that could not be opened. */
bool rules_file_is_missing(
	struct rules *rules, const struct rules_place *place, uint64_t pc);
/* Compilers of code without unwind rules. */
enum rules_compiler {
	RULES_OTHER_COMPILER,
	/* Keeps callers in memory that is not the stack of the thread. */
	RULES_GHC,
	RULES_FREE_PASCAL, /* omits frame pointers by default */
	RULES_COMPILERS
};
/* Returns the compiler of the file at PC. */
enum rules_compiler rules_compiler_of(
	struct rules *rules, const struct rules_place *place, uint64_t pc);
/*
 * Copies up to SIZE bytes of the code at ADDRESS to BYTES. Returns the number
 * of bytes copied.
 */
size_t rules_code(struct rules *rules, const struct rules_place *place,
	uint64_t address, uint8_t *bytes, size_t size);
/*
 * Returns true if a call instruction ends at ADDRESS. Returns false also if the
 * code before ADDRESS cannot be read.
 */
bool rules_follows_call(
	struct rules *rules, const struct rules_place *place, uint64_t address);
/*
 * Returns true if ADDRESS can be the start of a stack that a runtime created:
 * ADDRESS is the start of a function or one byte after the start, where no call
 * can end.
 */
bool rules_is_stack_start(
	struct rules *rules, const struct rules_place *place, uint64_t address);

/*
 * Reads the unwind rules of files when the files are mapped. A BPF program
 * needs rules before the first sample in a file, and the recorder would read
 * them after that sample. A thread takes the mappings from the file tracker.
 */
struct rules_ahead;

/*
 * RULES and TRACKER are borrowed. Returns NULL if the thread cannot be started:
 * then rules are read when they are needed.
 */
struct rules_ahead *rules_ahead_create(
	struct rules *rules, struct file_tracker *tracker);
void rules_ahead_destroy(struct rules_ahead *ahead);

#endif
