/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/data_names.h"

#include <inttypes.h>

#include "common/file/symbols_section.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/hash.h"
#include "report/util/demangle.h"

struct data_names {
	ARRAY(struct data_table {
		const struct files *files;
		uint32_t dso;
		struct symtab symbols;
	})
	tables;
	struct hash_index by_dso;
	ARRAY(struct packed_data {
		const struct files *files;
		struct symbols_section bundle;
	})
	packed; /* data symbols that recordings contain */
};

struct data_names *data_names_create(void)
{
	return xcalloc(1, sizeof(struct data_names));
}

void data_names_destroy(struct data_names *names)
{
	if (!names)
		return;
	array_each(&names->tables, table)
		symtab_deinit(&table->symbols);
	array_free(&names->tables);
	hash_free(&names->by_dso);
	array_each(&names->packed, packed)
		symbols_section_deinit(&packed->bundle);
	array_free(&names->packed);
	free(names);
}

static struct packed_data *find_packed_data(
	struct data_names *names, struct files *files)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };
	struct packed_data *new;

	array_each(&names->packed, packed)
		if (packed->files == files)
			return packed;
	new = array_push(&names->packed);
	new->files = files;
	if (reader_section(files_reader(files), SECTION_PACKED_DATA,
		    SYMBOLS_SECTION_VERSION, &section))
		symbols_section_read(
			bytes_of(section.at, section.n, false), &new->bundle);
	symbols_section_index(&new->bundle);
	return new;
}

static const struct symtab *find_data_table(
	struct data_names *names, struct files *files, uint32_t dso)
{
	uint64_t hash = hash_words((uintptr_t)files, dso);
	struct data_table *new;

	hash_each_match(&names->by_dso, hash, i) {
		const struct data_table *table = &names->tables.at[i];

		if (table->files == files && table->dso == dso)
			return &table->symbols;
	}
	hash_insert(&names->by_dso, hash, (uint32_t)names->tables.n);
	new = array_push(&names->tables);
	new->files = files;
	new->dso = dso;
	enum buildid_trust trust = BUILDID_DOUBTFUL;
	struct elf_file *file = files_open(files, dso, 0, &trust), *debug;

	if (!file || trust != BUILDID_PROVEN ||
		!elf_file_addresses(file, 0, &new->symbols)) {
		debug = files_open_debug(files, dso);
		if (debug)
			elf_file_addresses(debug, 0, &new->symbols);
		elf_file_close(debug);
	}
	elf_file_close(file);
	symtab_finish(&new->symbols);
	if (new->symbols.symbols.n)
		return &new->symbols;
	/* Use the data symbols that `dwell pack` added to the recording. */
	const struct build_id id = files_build_id(files, dso);
	struct symbols_dso *bundled =
		symbols_section_find(&find_packed_data(names, files)->bundle,
			files_dso(files, dso), &id);

	if (bundled) {
		symtab_deinit(&new->symbols);
		new->symbols = bundled->symbols;
		bundled->symbols = (struct symtab){ 0 };
	}
	return &new->symbols;
}

const struct symbol *data_names_symbol(struct data_names *names,
	struct files *files, uint32_t dso, uint64_t address,
	const char **name_ret)
{
	const struct symtab *table = find_data_table(names, files, dso);
	const struct symbol *symbol = symtab_find(table, address);

	if (symbol)
		*name_ret = symtab_name(table, symbol);
	return symbol;
}

char *data_names_find(struct data_names *names, struct files *files,
	uint32_t dso, uint64_t address)
{
	_cleanup_free_ char *plain = NULL;
	const char *name;
	const struct symbol *symbol =
		data_names_symbol(names, files, dso, address, &name);

	if (!symbol)
		return NULL;
	plain = demangle(name);
	if (address == symbol->start)
		return xstrdup(plain ? plain : name);
	return xasprintf(
		"%s+0x%" PRIx64, plain ? plain : name, address - symbol->start);
}
