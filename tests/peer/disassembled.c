/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the instructions of a file's .text as dwell annotate disassembles
 * them: one line "ADDRESS TEXT" each, jumps with their targets.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/elf/elf.h"
#include "report/code/disassembly.h"

static struct error *print(const struct disassembly_code *code)
{
	struct disassembly found;
	struct error *err = disassembly_make(code, DISASSEMBLY_ATT, &found);

	array_each(&found.at, at) {
		printf("%" PRIx64 " %s", at->address,
			disassembly_text(&found, at));
		if (at->has_target)
			printf(" %" PRIx64, at->target);
		putchar('\n');
	}
	disassembly_deinit(&found);
	return err;
}

static struct error *print_all(struct elf_file *file)
{
	struct elf_section text;

	if (!elf_file_section(file, ".text", MIB(256), &text))
		return error_new("it has no .text");
	return print(&(struct disassembly_code){
		elf_file_machine(file), text.address, text.size, text.at });
}

int main(int argc, char **argv)
{
	struct elf_file *file = NULL;
	struct error *err;

	if (argc != 2)
		return 2;
	err = elf_file_open(
		open(argv[1], O_RDONLY | O_CLOEXEC), argv[1], &file);
	if (!err)
		err = print_all(file);
	if (err)
		fprintf(stderr, "%s\n", err->text);
	elf_file_close(file);
	error_free(err);
	return err != NULL;
}
