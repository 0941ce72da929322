/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jitdumps that processes of a recording had mapped, if they still exist on
 * this machine: names of JIT code, its source lines, machine code and unwind
 * rules. Used for recordings without these data; `perf inject --jit` is not
 * needed.
 *
 * If several codes shared an address over time, each has its own place
 * (common/file/jit_section.h), as if it had been mapped there.
 */
#ifndef DWELL_REPORT_SURVEY_JITDUMPS_H
#define DWELL_REPORT_SURVEY_JITDUMPS_H

#include "common/file/jit_section.h"
#include "common/jit/jitcodes.h"
#include "common/perf/record.h"

struct dump {
	uint32_t pid;
	bool has_names; /* its names were added to the JIT section */
	/* NULL: not opened yet. */
	struct jitcodes *codes; /* owned */
	char *path;             /* owned; NULL: already opened */
	uint64_t inode;         /* 0: any */
	struct jitdump_clock clock;
	ARRAY(struct dump_place {
		uint64_t place;
		uint64_t address;
		uint64_t since;
	})
	places; /* ascending */
};

struct dumps {
	ARRAY(struct dump) list;
};

void dumps_deinit(struct dumps *dumps);

/*
 * If MAP is a mapping of an existing jitdump, adds its codes to DUMPS and their
 * names to JIT, in place of names that JIT has from jitdumps.
 */
void dumps_add_names(struct dumps *dumps, const struct record_mmap *map,
	const struct jitdump_clock *clock, struct jit_section *jit);
/* Adds the jitdump of MAP to DUMPS. JIT has its names and places already. */
void dumps_add(struct dumps *dumps, const struct record_mmap *map,
	const struct jitdump_clock *clock);

/* The JIT code of a DSO. */
struct dump_code {
	struct dump *dump; /* borrowed; NULL: no jitdump */
	bool is_timed;     /* offsets in the DSO are places, else addresses */
};
/*
 * Returns the code at OFFSET; .code is NULL if there is none. By address it is
 * the last code there.
 */
struct jitcodes_part dump_find(const struct dump_code *code, uint64_t offset);
/*
 * Returns the source line of the code at OFFSET and appends its file to FILE.
 */
bool dump_line(const struct dump_code *code, uint64_t offset,
	struct strbuf *file, uint32_t *line_ret);

/*
 * Reads up to SIZE bytes of one code from OFFSET on to OUT, and returns their
 * number. *ADDRESS_RET is the address of the first byte at run time.
 */
size_t dump_read(const struct dump_code *code, uint64_t offset, void *out,
	size_t size, uint64_t *address_ret);
/* Returns e_machine of the code; 0: not known. */
unsigned dump_machine(const struct dump_code *code);

/*
 * Returns the dump of PID, opened, or NULL. JIT is the JIT section of the
 * survey. Not thread-safe.
 */
struct dump *dumps_open(
	const struct dumps *dumps, const struct jit_section *jit, uint32_t pid);
/* Does the same without opening it. */
struct dump *dumps_find(const struct dumps *dumps, uint32_t pid);

#endif
