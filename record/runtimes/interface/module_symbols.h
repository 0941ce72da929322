/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads some symbols of the file of a runtime, in one pass over .symtab, or over .dynsym
 * if there is no .symtab. elf_file_find() makes a pass for each name, and Node.js has
 * more than 100,000 symbols.
 */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_MODULE_SYMBOLS_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_MODULE_SYMBOLS_H

#include "common/elf/elf.h"
#include "common/util/array.h"
#include "record/runtimes/interface/runtime.h"

struct module_symbol {
	const char *name; /* borrowed from the file */
	uint64_t address; /* linked address */
	uint64_t size;
};
struct module_symbols {
	ARRAY(struct module_symbol) list; /* the caller frees it */
};

/*
 * Adds the defined symbols with names that begin with one of the N_PREFIXES PREFIXES to
 * RET. The caller frees the list of RET. Returns false if FILE has no symbol table.
 */
bool module_symbols_read(struct elf_file *file, const char *const *prefixes,
	size_t n_prefixes, struct module_symbols *ret);
/*
 * Calls PROBE with the symbols of MODULE that module_symbols_read() finds. Refuses a file
 * without symbol table.
 */
enum runtime_state module_symbols_probe(const struct runtime_module *module,
	const char *const *prefixes, size_t n_prefixes,
	module_symbols_probe_fn probe, struct process_memory *memory,
	void **ret, const char **reason_ret);
/* Returns the symbol NAME of SYMBOLS, or NULL. */
const struct module_symbol *module_symbols_find(
	const struct module_symbols *symbols, const char *name);

#endif
