/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jitdumps that processes of a recording had mapped, if the files still
 * exist on this machine: names, source lines, machine code and unwind rules of
 * JIT code. Used for recordings without these data; `perf inject --jit` is not
 * needed.
 *
 * If several codes shared an address over time, each code has a place: an
 * address range of its own, at which the code is treated as mapped
 * (common/file/jit_section.h).
 */
#ifndef DWELL_REPORT_SURVEY_JITDUMPS_H
#define DWELL_REPORT_SURVEY_JITDUMPS_H

#include "common/file/jit_section.h"
#include "common/jit/jitcodes.h"
#include "common/perf/record.h"

struct jitdumps_file {
	uint32_t pid;
	bool has_names; /* names of its codes were added to the JIT section */
	/* NULL: the jitdump was not opened yet, or could not be opened. */
	struct jitcodes *codes; /* owned */
	char *path;		/* owned; NULL: the file was already opened */
	uint64_t inode;		/* of the file; 0: any inode is accepted */
	struct jitdump_clock clock;
	ARRAY(struct jitdumps_place {
		uint64_t place;
		uint64_t address;
		uint64_t since;
	})
	places; /* sorted by .place */
};

struct jitdumps {
	ARRAY(struct jitdumps_file) list;
};

void jitdumps_deinit(struct jitdumps *dumps);

/*
 * If MAP is a mapping of a jitdump that exists, adds the codes of the jitdump
 * to DUMPS, and the names of the codes to JIT. The names replace the names that
 * JIT already has from a jitdump of the same process.
 */
void jitdumps_add_names(struct jitdumps *dumps, const struct record_mmap *map,
	const struct jitdump_clock *clock, struct jit_section *jit);
/*
 * Adds the jitdump that MAP maps to DUMPS, without its names, for recordings
 * whose JIT section has the names and places of the codes already.
 */
void jitdumps_add(struct jitdumps *dumps, const struct record_mmap *map,
	const struct jitdump_clock *clock);

/* The JIT code of a DSO. */
struct jitdumps_code {
	struct jitdumps_file *dump; /* borrowed; NULL: no jitdump */
	bool is_timed;		    /* DSO offsets are places, else addresses */
};
/*
 * Returns the JIT code at OFFSET in the DSO; .code is NULL if there is none. If
 * offsets are addresses, returns the last code that was loaded at the address.
 */
struct jitcodes_part jitdumps_code_find(
	const struct jitdumps_code *code, uint64_t offset);
/*
 * Writes the source line of the JIT code at OFFSET to *LINE_RET and appends the
 * name of the source file to FILE. Returns false if the line is not known.
 */
bool jitdumps_code_line(const struct jitdumps_code *code, uint64_t offset,
	struct strbuf *file, uint32_t *line_ret);

/*
 * Reads up to SIZE bytes of the JIT code at OFFSET, from OFFSET on, to OUT.
 * Returns the number of bytes. *ADDRESS_RET is the run-time address of the
 * first byte.
 */
size_t jitdumps_code_read(const struct jitdumps_code *code, uint64_t offset,
	void *out, size_t size, uint64_t *address_ret);
/* Returns the machine of the jitdump, as e_machine in ELF; 0: not known. */
unsigned jitdumps_code_machine(const struct jitdumps_code *code);

/*
 * Opens the jitdump of process PID if it is not open yet, and returns it, or
 * NULL. JIT is the JIT section of the survey. Not thread-safe.
 */
struct jitdumps_file *jitdumps_open(const struct jitdumps *dumps,
	const struct jit_section *jit, uint32_t pid);
/* Returns the jitdump of process PID, opened or not, or NULL. */
struct jitdumps_file *jitdumps_find(const struct jitdumps *dumps, uint32_t pid);

#endif
