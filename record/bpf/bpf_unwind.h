/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF program that unwinds stacks in the kernel (unwind.bpf.c): loads the
 * program, attaches it to events, and gives it the rules of files. The program
 * and its maps end with the recorder.
 */
#ifndef DWELL_RECORD_BPF_BPF_UNWIND_H
#define DWELL_RECORD_BPF_BPF_UNWIND_H

#include "common/unwind/cfi.h"
#include "common/util/error.h"
#include "record/bpf/chain_join.h"
#include "record/event/open_fallback.h"

struct bpf_unwind;

/* Loads the programs; with HAS_WAITS, also those of bpf_waits.h. */
struct error *bpf_unwind_create(
	bool has_waits, struct bpf_unwind **ret) _must_check_;
void bpf_unwind_destroy(struct bpf_unwind *bpf);

/*
 * Returns an opener that attaches the program to events with stack copies, and
 * opens these events without stack copies unless KEEPS_COPIES. Borrowed until
 * bpf_unwind_destroy().
 */
const struct opener *bpf_unwind_opener(
	struct bpf_unwind *bpf, bool keeps_copies);
/*
 * Opens the event on CPU through which the program writes records to the ring
 * buffer of the event RING, with the clock of LIKE. Returns 0 or an errno.
 */
int bpf_unwind_open_output(struct bpf_unwind *bpf, uint32_t cpu, int ring,
	const struct perf_event_attr *like);
/* Returns whether ID is of an event of bpf_unwind_open_output(). */
bool bpf_unwind_is_output(const struct bpf_unwind *bpf, uint64_t id);

/*
 * Gives the rules of a file to the program, once per FILE. DELTA is the linked
 * address minus the file offset of the file's code. CFI is NULL if the file has
 * no rules. Thread-safe.
 */
void bpf_unwind_add_table(struct bpf_unwind *bpf, const struct chain_file *file,
	const struct cfi *cfi, uint64_t delta);

/*
 * Keeps UNKNOWN, a file of a stack that the program could not unwind, until its
 * rules are added. Thread-safe.
 */
void bpf_unwind_note_unknown(
	struct bpf_unwind *bpf, const struct chain_unknown *unknown);
/*
 * Removes an unknown file of the process PID. Returns false if there is none.
 * Thread-safe.
 */
bool bpf_unwind_take_unknown(
	struct bpf_unwind *bpf, uint32_t pid, struct chain_unknown *ret);

/*
 * Makes the program send the linked frames of the process PID, as LIST
 * describes. Thread-safe, as the next two functions.
 */
void bpf_unwind_send_linked(
	struct bpf_unwind *bpf, uint32_t pid, const struct chain_runtime *list);
/* The process PID has no language runtime any longer: it has called exec or ended. */
void bpf_unwind_forget_runtime(struct bpf_unwind *bpf, uint32_t pid);
/* Sets for CHILD what was set for PARENT. */
void bpf_unwind_inherit_runtime(
	struct bpf_unwind *bpf, uint32_t parent, uint32_t child);

/* Attaches the program to the event FD. Returns false and errno on error. */
bool bpf_unwind_attach(const struct bpf_unwind *bpf, int fd);
/* Returns the last stack of a CPU that has one, or false. */
bool bpf_unwind_last(const struct bpf_unwind *bpf, struct chain_record *ret);
/* Removes all stacks of bpf_unwind_last(). */
void bpf_unwind_forget_last(const struct bpf_unwind *bpf);
/* Sets all counts to 0. */
void bpf_unwind_forget_counts(const struct bpf_unwind *bpf);
/* Chooses whether the program walks stacks, at once and for all events. */
void bpf_unwind_set_mode(struct bpf_unwind *bpf, enum chain_mode mode);

/* Sums the counts of all CPUs. */
void bpf_unwind_counts(const struct bpf_unwind *bpf, struct chain_counts *ret);

#endif
