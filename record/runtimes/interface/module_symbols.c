/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/interface/module_symbols.h"

#include <elf.h>

/* Limits of a symbol table and of its names in bytes. */
#define TABLE_MAX MIB(64)
#define TABLE_NAMES_MAX MIB(256)
/* Limits of the number of symbols in the result, and of the length of a name. */
#define FOUND_MAX 65536u
#define SYMBOL_NAME_MAX 256u

/* Returns the name at OFFSET of NAMES, or NULL if it does not end. */
static const char *table_name(const struct elf_section *names, uint32_t offset)
{
	const char *name = (const char *)names->at + offset;

	if (offset >= names->size ||
		!memchr(name, '\0',
			MIN(names->size - offset, (size_t)SYMBOL_NAME_MAX)))
		return NULL;
	return name;
}

static bool has_prefix(
	const char *name, const char *const *prefixes, size_t n_prefixes)
{
	size_t i;

	for (i = 0; i < n_prefixes; i++)
		if (string_starts(name, prefixes[i]))
			return true;
	return false;
}

/* Returns true if the name at OFFSET and a prefix have the same first byte. */
static bool may_have_prefix(const struct elf_section *names, uint32_t offset,
	const char *const *prefixes, size_t n_prefixes)
{
	size_t i;

	for (i = 0; offset < names->size && i < n_prefixes; i++)
		if (names->at[offset] == (uint8_t)prefixes[i][0])
			return true;
	return false;
}

bool module_symbols_read(struct elf_file *file, const char *const *prefixes,
	size_t n_prefixes, struct module_symbols *ret)
{
	struct elf_section table, names;
	size_t i;

	if ((!elf_file_section(file, ".symtab", TABLE_MAX, &table) ||
		    !elf_file_section(
			    file, ".strtab", TABLE_NAMES_MAX, &names)) &&
		(!elf_file_section(file, ".dynsym", TABLE_MAX, &table) ||
			!elf_file_section(
				file, ".dynstr", TABLE_NAMES_MAX, &names)))
		return false;
	for (i = 0;
		i < table.size / sizeof(Elf64_Sym) && ret->list.n < FOUND_MAX;
		i++) {
		const char *name;
		Elf64_Sym symbol;

		memcpy(&symbol, table.at + i * sizeof(symbol), sizeof(symbol));
		if (symbol.st_shndx == SHN_UNDEF ||
			!may_have_prefix(
				&names, symbol.st_name, prefixes, n_prefixes))
			continue;
		name = table_name(&names, symbol.st_name);
		if (name && has_prefix(name, prefixes, n_prefixes))
			*array_push(&ret->list) = (struct module_symbol){ name,
				symbol.st_value, symbol.st_size };
	}
	return true;
}

enum runtime_state module_symbols_probe(const struct runtime_module *module,
	const char *const *prefixes, size_t n_prefixes,
	module_symbols_probe_fn probe, struct process_memory *memory,
	void **ret, const char **reason_ret)
{
	struct module_symbols symbols = { 0 };
	enum runtime_state state = RUNTIME_REFUSED;

	*reason_ret = "its file has no symbols";
	if (module_symbols_read(module->file, prefixes, n_prefixes, &symbols))
		state = probe(module, &symbols, memory, ret, reason_ret);
	array_free(&symbols.list);
	return state;
}

const struct module_symbol *module_symbols_find(
	const struct module_symbols *symbols, const char *name)
{
	array_each(&symbols->list, symbol)
		if (string_is(symbol->name, name))
			return symbol;
	return NULL;
}
