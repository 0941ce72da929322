/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces and names of processes over time. The module replays COMM,
 * FORK, MMAP and MMAP2 records and then returns the mapping of an address, or
 * the name of a thread, at a given time.
 *
 * Add records in time order. A process gets a new *space* (a number) at an
 * exec, and when a mapping replaces an older mapping. A mapping that overlaps
 * no other mapping does not start a new space, so most samples share a few
 * spaces. Nothing is removed on munmap and mremap, which leave no record: the
 * newest mapping at an address is used. EXIT does not end a process, because
 * the tear-down of the process is still sampled.
 *
 * The kernel gives the ID of an ended process or thread to a new one. A FORK
 * record of a known ID begins a new *use* of the ID if the ID was seen to end,
 * or if its name was recorded after the start of the recording. Other records
 * of a known ID are of its current use: those that a recorder makes from /proc
 * have the time 0, and can describe a thread that has a FORK record, too.
 *
 * The query functions only read and may be called from several threads at once.
 */
#ifndef DWELL_COMMON_MAPS_MAPS_H
#define DWELL_COMMON_MAPS_MAPS_H

#include "common/perf/record.h"
#include "common/util/array.h"
#include "common/util/hash.h"

/* A file, or memory without a file, from which code was mapped. */
struct dso {
	char *path; /* as recorded; owned */
	struct build_id build_id;
	/* .major, .minor, .inode and .generation are 0 if .build_id is known */
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t pid;	      /* first process that mapped the file */
	bool is_data;	      /* memory without a file that contains no code */
	uint64_t code_offset; /* lowest file offset mapped as code */
};

struct mapping {
	uint64_t start, end; /* address range */
	uint64_t offset;     /* file offset of .start */
	uint32_t dso;
	/* recorded as a data mapping, whatever the file */
	uint32_t is_data : 1;
	/*
	 * .prot and .flags are as in MMAP2 and mmap(2); higher bits are
	 * dropped.
	 */
	uint32_t prot : 4, flags : 27;
};

#define MAPS_NO_SPACE 0u /* space of a process without any record */
#define MAPS_KERNEL 1u	 /* the space of kernel addresses */
#define MAPS_KERNEL_PID UINT32_MAX

/*
 * Returns true if PATH, the path of a mapping, names memory without a file.
 * Memory without a file is a separate DSO in each process, and its file offsets
 * are its addresses, whatever the MMAP record contains. perf looks for JIT code
 * in mappings with the same names (tools/perf/util/map.c).
 */
bool maps_is_anonymous(const char *path);

/*
 * Returns the end of the file's path in PATH, the path of a mapping: the kernel appends
 * " (deleted)" to the path of a deleted file.
 */
const char *maps_path_end(const char *path);

/*
 * Paths of the vDSO, the code that the kernel maps into each process without a
 * file. The kernel also names the vDSO of 32-bit processes "[vdso]"; dwell
 * names it "[vdso32]", as perf does. The two are distinguished by address: the
 * 64-bit vDSO is above 4 GiB, next to the stack.
 */
#define MAPS_VDSO "[vdso]"
#define MAPS_VDSO32 "[vdso32]"
/* Returns true if PATH is MAPS_VDSO or MAPS_VDSO32. */
bool maps_is_vdso(const char *path);
/* Returns the path of the DSO of MAP; borrowed from MAP. */
const char *maps_dso_path(const struct record_mmap *map);

struct maps;

struct maps *maps_create(void);
void maps_destroy(struct maps *maps);

/*
 * Add one MMAP, COMM, FORK or KSYMBOL record. Records must be added in time
 * order.
 */
void maps_add_mmap(
	struct maps *maps, const struct record_mmap *map, uint64_t time);
void maps_add_comm(
	struct maps *maps, const struct record_comm *comm, uint64_t time);
void maps_add_fork(
	struct maps *maps, const struct record_task *fork, uint64_t time);
void maps_add_ksymbol(struct maps *maps, const struct record_ksymbol *symbol);

/*
 * Parses RECORD and adds it if it is an MMAP, MMAP2, COMM, FORK or KSYMBOL
 * record; ignores other types. Returns false, and changes nothing, if RECORD
 * cannot be parsed.
 */
bool maps_add_record(
	struct maps *maps, const struct record *record, uint64_t time);
bool maps_wants_record(uint32_t type);

/*
 * Marks the thread as ended at TIME. Queries still find the thread, because its
 * tear-down is sampled; maps_visit() leaves the thread out if TIME is before
 * SINCE.
 */
void maps_end_thread(
	struct maps *maps, uint32_t pid, uint32_t tid, uint64_t time);

/*
 * Frees the data that no query for BEFORE or a later time can return: spaces
 * and names that were replaced before BEFORE, and processes of which all
 * threads ended before BEFORE. For recordings without an end, of which only the
 * last seconds are queried. Spaces get new numbers; DSOs and names keep their
 * numbers. maps_weight() returns the current size in units of about 40 bytes.
 */
void maps_forget(struct maps *maps, uint64_t before);
size_t maps_weight(const struct maps *maps);

/*
 * maps_visit() passes the newest state to the functions of VISITOR: the names
 * and ends of threads, then the mappings of processes. Threads and processes
 * that ended before SINCE, and the kernel, are left out. A function that is
 * NULL is not called.
 */
struct maps_visitor {
	void (*comm)(void *data, uint32_t pid, uint32_t tid, const char *comm);
	void (*end)(void *data, uint32_t pid, uint32_t tid, uint64_t time);
	/*
	 * MAPPING is the part of a mapping that no newer mapping covers;
	 * borrowed for the call.
	 */
	void (*mapping)(
		void *data, uint32_t pid, const struct mapping *mapping);
	void *data;
};
void maps_visit(const struct maps *maps, uint64_t since,
	const struct maps_visitor *visitor);
/* Passes the mappings of SPACE to .mapping of VISITOR, with the PID 0. */
void maps_visit_space(const struct maps *maps, uint32_t space,
	const struct maps_visitor *visitor);

/*
 * Address space and name of a thread at a time. The same from .valid_from to
 * .valid_until (exclusive).
 */
struct maps_context {
	uint32_t space;
	uint32_t comm; /* number of the name, for maps_comm(); 0: unknown */
	/*
	 * Numbers of the earlier processes with the same PID, and of the
	 * earlier threads with the same PID and TID.
	 */
	uint32_t pid_use, tid_use;
	uint64_t valid_from, valid_until;
};
struct maps_context maps_context(
	const struct maps *maps, uint32_t pid, uint32_t tid, uint64_t time);

/*
 * Returns the number of the last name of the main thread of the process that
 * had PID in its use PID_USE (maps_context), or 0 if the name is unknown.
 */
uint32_t maps_process_comm(
	const struct maps *maps, uint32_t pid, uint32_t pid_use);

/*
 * Returns the mapping that contains ADDRESS in SPACE, borrowed, or NULL. If
 * SPACE began with an exec, addresses that SPACE does not map are looked up in
 * the space before the exec: the part of an exec that runs in the kernel is
 * sampled with the new name of the thread, and its callers are in the old
 * program.
 */
const struct mapping *maps_find(
	const struct maps *maps, uint32_t space, uint64_t address);

/*
 * maps_find_part() returns the mapping that contains ADDRESS in SPACE, as
 * maps_find() does, and sets RET to the range of addresses around ADDRESS with
 * the same result. RET is not set if the result is NULL.
 */
struct maps_part {
	uint64_t start, end;
};
const struct mapping *maps_find_part(const struct maps *maps, uint32_t space,
	uint64_t address, struct maps_part *ret);

/*
 * Returns a number shared by all spaces of a process from its fork or exec to
 * the next exec, or 0 for a process without records.
 */
uint32_t maps_program(const struct maps *maps, uint32_t space);

const char *maps_comm(const struct maps *maps, uint32_t comm);
/*
 * Returns the index of a DSO in MAPS that is equal to LIKE, a DSO of any struct
 * maps. Adds a copy of LIKE if there is no such DSO.
 */
uint32_t maps_add_dso(struct maps *maps, const struct dso *like);
const struct dso *maps_dso(const struct maps *maps, uint32_t dso);
uint32_t maps_n_dsos(const struct maps *maps);
/*
 * Returns mapping NUMBER as it was added, borrowed. Mappings are numbered in
 * the order in which they were added.
 */
const struct mapping *maps_mapping(const struct maps *maps, uint32_t number);
uint32_t maps_n_mappings(const struct maps *maps);
uint32_t maps_n_spaces(const struct maps *maps);

#endif
