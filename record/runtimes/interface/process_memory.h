/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the memory of a running process by pages. Pages are kept until
 * process_memory_settle(). A separate thread reads, because a process can block its
 * reader for ever. If a read exceeds its time limit, this process is not read again
 * (blocked_processes.h).
 * The process is not trusted: the size of a read and the number of system calls are
 * limited. The module does not read stacks, which change too fast: see runtime_load()
 * in common/unwind/runtime_frame.h.
 *
 * Not thread-safe.
 */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_PROCESS_MEMORY_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_PROCESS_MEMORY_H

#include "common/util/base.h"

/* Limit of bytes for one process_memory_read(). */
#define PROCESS_MEMORY_READ_MAX MIB(4)
/* Limit of system calls between two calls of process_memory_allow_calls(). */
#define PROCESS_MEMORY_CALLS_MAX 4096u
/*
 * Limit of reads between two calls of process_memory_allow_calls(). Most reads need no
 * system call.
 */
#define PROCESS_MEMORY_READS_MAX 500000u

struct process_memory;

struct process_memory *process_memory_create(uint32_t pid);
void process_memory_destroy(struct process_memory *memory);

/*
 * Marks all kept pages as outdated, because the process has run. The next read reads
 * the pages that were used since the last call again, with one system call. Other pages
 * are forgotten.
 */
void process_memory_settle(struct process_memory *memory);
/* Forgets all pages. */
void process_memory_forget(struct process_memory *memory);
/* Resets the counts of system calls and of reads, which are limited. */
void process_memory_allow_calls(struct process_memory *memory);
/*
 * Counts N reads, without reading. The caller uses this function to limit work whose
 * amount depends on the memory of the process. Returns false if the limit of reads is
 * exceeded.
 */
bool process_memory_spend(struct process_memory *memory, size_t n);

/*
 * Copies SIZE bytes at ADDRESS to OUT. Returns false, with undefined bytes in OUT, if
 * not all bytes can be read.
 */
bool process_memory_read(struct process_memory *memory, uint64_t address,
	void *out, size_t size);
/*
 * These functions read one little-endian number. If the result is false, *RET is 0.
 */
bool process_memory_u64(
	struct process_memory *memory, uint64_t address, uint64_t *ret);
bool process_memory_u32(
	struct process_memory *memory, uint64_t address, uint32_t *ret);
bool process_memory_u16(
	struct process_memory *memory, uint64_t address, uint16_t *ret);
bool process_memory_u8(
	struct process_memory *memory, uint64_t address, uint8_t *ret);
/*
 * Copies the NUL-terminated text at ADDRESS to OUT, which has ROOM bytes. Returns false
 * if the text cannot be read or does not end within ROOM bytes.
 */
bool process_memory_text(struct process_memory *memory, uint64_t address,
	char *out, size_t room);
/* Returns the number of system calls since process_memory_create(). */
uint64_t process_memory_calls(const struct process_memory *memory);
/*
 * Returns a constant text: why the process is not read although it runs, because readers of
 * memory were blocked. Returns NULL if it is read.
 */
const char *process_memory_blocked(const struct process_memory *memory);
/* Returns true if the last system call found that the process has ended. */
bool process_memory_is_gone(const struct process_memory *memory);

#endif
