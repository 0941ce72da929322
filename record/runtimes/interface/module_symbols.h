/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads some symbols of the file of a runtime from .symtab, or from .dynsym if there is no
 * .symtab. The tables are read in pieces, from their start to their end, and only the wanted
 * names are kept. The symbols of a file are read once: they are kept for other processes, for
 * the next probe, and for other runtimes with the same prefixes, also if there are none.
 *
 * Programs are not trusted: the size of a table and the number of kept symbols are limited,
 * and so are the bytes that are read for the files of one owner, together and per second.
 *
 * Thread-safe. A file that one thread reads does not delay threads that need another file.
 */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_MODULE_SYMBOLS_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_MODULE_SYMBOLS_H

#include "common/elf/elf.h"
#include "common/util/array.h"
#include "record/runtimes/interface/runtime.h"

struct module_symbol {
	const char *name;
	uint64_t address; /* linked address */
	uint64_t size;
};
struct module_symbols {
	ARRAY(struct module_symbol) list;
};

/*
 * Finds the defined symbols of FILE, of 64 bits, with names that begin with one of the
 * N_PREFIXES PREFIXES, an array that lives as long as the program. If the result is
 * RUNTIME_READY, *RET is valid until module_symbols_release(). Otherwise *RET is NULL and
 * *REASON_RET is a constant text. The result is RUNTIME_REFUSED if FILE has no symbol table
 * or a table that is too large, and RUNTIME_STARTING if so many bytes of other files of the
 * same owner were read that FILE must be read later.
 */
enum runtime_state module_symbols_get(struct elf_file *file,
	const char *const *prefixes, size_t n_prefixes,
	const struct module_symbols **ret, const char **reason_ret);
/* SYMBOLS may be NULL. */
void module_symbols_release(const struct module_symbols *symbols);
/* Returns the number of files whose tables were read since the start of the program. */
uint64_t module_symbols_reads(void);
/*
 * Calls PROBE with the symbols of MODULE that module_symbols_get() finds. Returns the result
 * of module_symbols_get() if there are none.
 */
enum runtime_state module_symbols_probe(const struct runtime_module *module,
	const char *const *prefixes, size_t n_prefixes,
	module_symbols_probe_fn probe, struct process_memory *memory,
	void **ret, const char **reason_ret);
/* Returns the symbol NAME of SYMBOLS, or NULL. */
const struct module_symbol *module_symbols_find(
	const struct module_symbols *symbols, const char *name);

#endif
