/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the names and source lines of the sampled functions of language runtimes for
 * the sections "symbols" and "lines" of a recording (doc/format.md).
 */
#ifndef DWELL_RECORD_SYMBOLS_RUNTIME_SYMBOLS_H
#define DWELL_RECORD_SYMBOLS_RUNTIME_SYMBOLS_H

#include "common/elf/symtab.h"
#include "record/runtimes/runtimes.h"
#include "record/symbols/sampled_code.h"

/*
 * Adds the functions at the N places SAMPLED to TABLE, and calls symtab_finish(). The
 * places are in the reserved mapping of the runtime NUMBER, in ascending order.
 */
void runtime_symbols_add(const struct runtimes *runtimes, unsigned number,
	const struct hit *sampled, size_t n, struct symtab *table);
/*
 * Appends the entry of DSO for the section "lines" to OUT. The other parameters are
 * those of runtime_symbols_add().
 */
void runtime_symbols_put_lines(const struct runtimes *runtimes, unsigned number,
	const struct dso *dso, const struct hit *sampled, size_t n,
	struct strbuf *out);

#endif
