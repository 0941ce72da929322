/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces and names of processes, versioned by time: a replay of COMM,
 * FORK, MMAP and MMAP2 that can then be asked what was where, when.
 *
 * Feed it in time order. A process gets a new *space* (a number) when an exec
 * or a mapping replaces what was there; a mapping that only adds to a space
 * does not make a new one, so few samples need more than one. Nothing leaves
 * by itself: munmap and mremap leave no record, so the newest mapping wins, and
 * EXIT is not the end of a process (its tear-down is still sampled).
 *
 * Asking is read-only and may be done from several threads at once.
 */
#ifndef DWELL_COMMON_MAPS_MAPS_H
#define DWELL_COMMON_MAPS_MAPS_H

#include "common/maps/mapping.h"
#include "common/util/array.h"
#include "common/util/hash.h"

#define MAPS_NO_SPACE 0u     /* of a process that nothing is known about */
#define MAPS_KERNEL 1u       /* the space of kernel addresses */
#define MAPS_KERNEL_PID UINT32_MAX

/*
 * Memory without a file, as PATH of a mapping has it: each process's is a DSO
 * of its own, and its offsets are addresses, whatever the record says. Perf
 * looks for code that was made at run time there (tools/perf/util/map.c).
 */
bool maps_is_anonymous(const char *path);

/*
 * What the kernel maps into each process, and no file holds. The kernel calls
 * that of 32-bit processes "[vdso]", too; here it is "[vdso32]", as perf has it.
 * It is told by where it lies: that of 64 bits is beyond 4 GiB, with the stack.
 */
#define MAPS_VDSO "[vdso]"
#define MAPS_VDSO32 "[vdso32]"
/* Whether PATH of a DSO is one of these. */
bool maps_is_vdso(const char *path);
/* The path that the DSO of MAP has; borrowed from it. */
const char *maps_dso_path(const struct record_mmap *map);

struct maps;

struct maps *maps_create(void);
void maps_destroy(struct maps *maps);

/* The events, in time order. */
void maps_add_mmap(
	struct maps *maps, const struct record_mmap *map, uint64_t time);
void maps_add_comm(
	struct maps *maps, const struct record_comm *comm, uint64_t time);
void maps_add_fork(
	struct maps *maps, const struct record_task *fork, uint64_t time);
void maps_add_ksymbol(struct maps *maps, const struct record_ksymbol *symbol);

/*
 * The same from a record; of a type that changes nothing it is ignored. False
 * if it can't be read: then nothing has changed.
 */
bool maps_add_record(
	struct maps *maps, const struct record *record, uint64_t time);
bool maps_wants_record(uint32_t type);

/*
 * A thread has ended. That changes nothing for those who ask (its tear-down is
 * still sampled), but what has ended is not visited.
 */
void maps_end_thread(
	struct maps *maps, uint32_t pid, uint32_t tid, uint64_t time);

/*
 * For those who go on for ever, and only ask about the last few seconds: drops
 * what can't be asked for at BEFORE or later, which is spaces and names that
 * were replaced by then, and processes all of whose threads had ended. Spaces
 * get new numbers; those of DSOs and names stay. maps_weight() tells how much
 * there is, in pieces of some 40 bytes.
 */
void maps_forget(struct maps *maps, uint64_t before);
size_t maps_weight(const struct maps *maps);

/*
 * Everything as it is now: the names of threads, and which of them have ended,
 * then the mappings of processes. Those that ended before SINCE are left out,
 * and the kernel.
 */
struct maps_visitor {
	void (*comm)(void *data, uint32_t pid, uint32_t tid, const char *comm);
	void (*end)(void *data, uint32_t pid, uint32_t tid, uint64_t time);
	/* MAPPING is the part that is seen of it; borrowed for the call. */
	void (*mapping)(
		void *data, uint32_t pid, const struct mapping *mapping);
	void *data;
};
void maps_visit(const struct maps *maps, uint64_t since,
	const struct maps_visitor *visitor);

/* What a thread was at a time: constant until valid_until (exclusive). */
struct maps_context {
	uint32_t space;
	uint32_t comm; /* for maps_comm(); 0: not known */
	uint64_t valid_from, valid_until;
};
struct maps_context maps_context(
	const struct maps *maps, uint32_t pid, uint32_t tid, uint64_t time);

/*
 * The mapping that covers ADDRESS in SPACE, borrowed; NULL if none does. Where
 * an exec made the space, what it had replaced answers for addresses that it
 * doesn't know: the kernel's part of an exec is sampled under the new name,
 * called from the old program.
 */
const struct mapping *maps_find(
	const struct maps *maps, uint32_t space, uint64_t address);

/* The same, and for which addresses the answer is the same one. */
struct maps_part {
	uint64_t start, end;
};
const struct mapping *maps_find_part(const struct maps *maps, uint32_t space,
	uint64_t address, struct maps_part *ret);

/*
 * A number for all spaces that a process has from its fork or exec to the next
 * exec; 0: nothing is known about it.
 */
uint32_t maps_program(const struct maps *maps, uint32_t space);

const char *maps_comm(const struct maps *maps, uint32_t comm);
/* The index of a DSO as LIKE, of whatever maps; a new one if need be. */
uint32_t maps_add_dso(struct maps *maps, const struct dso *like);
const struct dso *maps_dso(const struct maps *maps, uint32_t dso);
uint32_t maps_n_dsos(const struct maps *maps);
uint32_t maps_n_spaces(const struct maps *maps);

#endif
