/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jitdumps that processes of a recording had mapped, as far as they are still
 * on this machine: names of code that was made at run time, and how it is
 * unwound. For recordings that don't have all that in them; so nothing has to
 * be injected into perf's.
 *
 * Where codes shared addresses, each has a place of its own (common/file/jit_section.h), and
 * is as good as mapped there since when it was there.
 */
#ifndef DWELL_REPORT_SURVEY_JITDUMPS_H
#define DWELL_REPORT_SURVEY_JITDUMPS_H

#include "common/file/jit_section.h"
#include "common/jit/jitcodes.h"
#include "common/perf/record.h"

struct dump {
	uint32_t pid;
	bool has_told; /* the names */
	/* NULL: it is opened when it is first asked for, if it is there. */
	struct jitcodes *codes; /* owned */
	char *path;             /* owned; NULL: that was tried */
	uint64_t inode;         /* 0: any */
	struct jitdump_clock clock;
	ARRAY(struct dump_place {
		uint64_t place;
		uint64_t address;
		uint64_t since;
	}) places; /* ascending */
};

struct dumps {
	ARRAY(struct dump) list;
};

void dumps_deinit(struct dumps *dumps);

/*
 * MAP was recorded: if it is of a jitdump that is to be had, its codes are
 * added to DUMPS and their names to JIT, in place of what JIT had by jitdumps.
 */
void dumps_see(struct dumps *dumps, const struct record_mmap *map,
	const struct jitdump_clock *clock, struct jit *jit);
/* The same, but the names stay, and so do the places that they have. */
void dumps_note(struct dumps *dumps, const struct record_mmap *map,
	const struct jitdump_clock *clock);

/* A DSO's made code, and what its offsets are. */
struct dump_code {
	struct dump *dump; /* borrowed; NULL: nothing is told of it */
	bool is_timed;     /* places, else addresses */
};
/* The code at OFFSET, or a part without; by address, as it was last. */
struct jitcodes_part dump_find(const struct dump_code *code, uint64_t offset);
/* The line that code at OFFSET was made from, and its file to FILE. */
bool dump_line(const struct dump_code *code, uint64_t offset,
	struct strbuf *file, uint32_t *line_ret);

/*
 * Up to SIZE bytes of one code, from OFFSET on, to OUT; how many these are.
 * ADDRESS_RET is where the first one lay.
 */
size_t dump_read(const struct dump_code *code, uint64_t offset, void *out,
	size_t size, uint64_t *address_ret);
/* Its e_machine; 0: it doesn't say. */
unsigned dump_machine(const struct dump_code *code);

/*
 * The dump of PID, opened; JIT is what a survey has found. NULL if there is none.
 * Not for several threads at once.
 */
struct dump *dumps_open(
	const struct dumps *dumps, const struct jit *jit, uint32_t pid);
/* The same, opened or not. */
struct dump *dumps_find(const struct dumps *dumps, uint32_t pid);

#endif
