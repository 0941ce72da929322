/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the build IDs of the sampled files and the sampled symbols to the
 * recording, so that the recording can be read on another machine.
 */
#ifndef DWELL_RECORD_SYMBOLS_SYMBOL_SECTIONS_H
#define DWELL_RECORD_SYMBOLS_SYMBOL_SECTIONS_H

#include "common/elf/kallsyms.h"
#include "common/file/feature.h"
#include "common/jit/jitdump.h"
#include "common/util/strbuf.h"
#include "record/runtimes/runtimes.h"
#include "record/symbols/file_names.h"
#include "record/symbols/jit_files.h"
#include "record/symbols/pinned_files.h"
#include "record/symbols/sampled_code.h"

/*
 * Fills the BUILD_ID feature in CLOSING, starting with the files with the most
 * samples, up to 16 MiB.
 */
void symbol_sections_build_ids(
	struct sampled_code *sampled, struct features *closing);

struct symbol_sections {
	struct sampled_code *sampled;
	const struct kallsyms *kallsyms; /* may be empty */
	struct timed_worker *worker;
	struct file_owners *owners; /* empty before the first section */
	const struct pinned_files *pins;
	const struct jits *jits;
	const struct runtimes *runtimes; /* may be NULL */
	struct jitdump_clock clock;
	uint64_t started; /* start of the recording: CLOCK_REALTIME, ns */
};

/*
 * Appends the "symbols" section (common/file/symbols_section.h). Symbols are
 * read from a file only if it is the mapped file.
 */
void symbol_sections_symbols(
	const struct symbol_sections *embed, struct strbuf *out);
/*
 * Appends the "jit" section (common/file/jit_section.h), and then finds the
 * processes with code without names, for sampled_code_unnamed().
 */
void symbol_sections_jit(
	const struct symbol_sections *embed, struct strbuf *out);
/*
 * Appends the "lines" section (common/file/packed_dsos.h) with the lines of functions of
 * runtimes; nothing if there are none.
 */
void symbol_sections_lines(
	const struct symbol_sections *embed, struct strbuf *out);

#endif
