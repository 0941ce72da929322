/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the functions that dwell finds in the symbol tables of a file, one per
 * line: link-time address, size, name. With "plt" as second argument, prints
 * only PLT entries; with "guessed" the functions by the file's unwind rules.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/elf/elf.h"
#include "common/unwind/guessed_functions.h"

int main(int argc, char **argv)
{
	bool only_plt = argc > 2 && string_is(argv[2], "plt");
	struct symtab table = { 0 };
	struct elf_file *file;
	struct error *err;

	if (argc < 2)
		return 2;
	err = elf_file_open(
		open(argv[1], O_RDONLY | O_CLOEXEC), argv[1], &file);
	if (err) {
		fprintf(stderr, "%s\n", err->text);
		return 1;
	}
	if (argc > 2 && string_is(argv[2], "guessed")) {
		guessed_functions_read(file, argv[1], &table);
	} else {
		if (!only_plt)
			elf_file_own_symbols(file, &table);
		elf_file_plt(file, &table);
		symtab_finish(&table);
	}
	array_each(&table.symbols, symbol)
		printf("%016" PRIx64 " %" PRIx64 " %s\n",
			elf_file_address(file, symbol->start),
			symbol->end - symbol->start,
			symtab_name(&table, symbol));
	symtab_deinit(&table);
	elf_file_close(file);
	return 0;
}
