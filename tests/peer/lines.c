// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lines FILE: prints the source lines of each link-time address on stdin, in
 * hex, from FILE's debug information: "401136 inner /a.c:3;/a.c:9", the
 * innermost inlined function first. The function that is not inlined is printed
 * without a name.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "report/lines/line_source.h"

static void put(struct line_source *source, uint64_t address)
{
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t n = line_source_frames(source, address, frames), i;

	printf("%" PRIx64 " ", address);
	for (i = 0; i < n; i++)
		printf("%s%s%s%s:%u", i ? ";" : "", frames[i].name ?: "",
			frames[i].name ? " " : "", frames[i].file ?: "??",
			frames[i].line);
	puts(n ? "" : "??:0");
}

int main(int argc, char **argv)
{
	struct dwarf_line_files files = { 0 };
	struct line_source *source;
	uint64_t address;
	struct error *err;

	if (argc != 2)
		return 2;
	err = elf_file_open(
		open(argv[1], O_RDONLY | O_CLOEXEC), argv[1], &files.code);
	if (err) {
		error_free(err);
		return 1;
	}
	source = line_source_create(&files, NULL);
	while (scanf("%" SCNx64, &address) == 1)
		put(source, address);
	line_source_destroy(source);
	return 0;
}
