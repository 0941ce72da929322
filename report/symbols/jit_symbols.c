/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/jit_symbols.h"

#include <elf.h>

#include "common/jit/perfmap.h"
#include "common/util/overlay.h"
#include "report/util/local_files.h"

/* Limits for hostile files. */
#define SYMBOLS_MAX 4000000u
#define NAMES_MAX MIB(256)

/* All symbols in the order of their sources. */
struct jit_names {
	struct overlay parts;
	ARRAY(size_t) names; /* by number of a part: offset in .texts */
	struct strbuf texts;
};

static void add_jit_name(struct jit_names *jit_names, uint64_t start,
	uint64_t end, const char *name)
{
	if (start == end || jit_names->names.n == SYMBOLS_MAX ||
		jit_names->texts.n > NAMES_MAX)
		return;
	*array_push(&jit_names->parts.ranges) =
		(struct overlay_range){ start, end, jit_names->names.n };
	*array_push(&jit_names->names) = jit_names->texts.n;
	strbuf_put(&jit_names->texts, name, strlen(name) + 1);
}

static void read_local_perfmap(uint32_t pid, struct jit_names *jit_names)
{
	_cleanup_free_ char *path = xasprintf("/tmp/perf-%u.map", pid);
	struct stat file;
	_cleanup_close_ int fd = local_file_open(path, &file);
	struct perfmap_entry entry;
	struct perfmap *map;

	if (fd < 0)
		return;
	map = perfmap_open(fd);
	while (perfmap_next(map, &entry))
		add_jit_name(jit_names, entry.start, entry.start + entry.size,
			entry.name);
	if (perfmap_has_long_line(map))
		local_file_report(path, "ignored a line longer than 64 KiB");
	perfmap_close(map);
}

static void read_recorded_names(
	const struct jit_process *process, struct jit_names *jit_names)
{
	array_each(&process->symbols, symbol)
		if (!symbol->since)
			add_jit_name(jit_names, symbol->start,
				symbol->start + symbol->size,
				jit_symbol_name(process, symbol));
}

void jit_symbols_add(const struct survey *survey, struct reader *reader,
	uint32_t pid, struct symtab *table)
{
	const struct jit_process *process = jit_section_find(&survey->jit, pid);
	const struct dump *dump = dumps_find(&survey->dumps, pid);
	bool is_complete = process && !(dump && dump->has_names);
	struct jit_names jit_names = { 0 };

	/* Symbols in the recording cover all code that was hit. */
	if (!is_complete && local_files_match_host(reader))
		read_local_perfmap(pid, &jit_names);
	if (process)
		read_recorded_names(process, &jit_names);
	overlay_flatten(&jit_names.parts);
	array_each(&jit_names.parts.ranges, part)
		symtab_add(table, part->start, part->end, STB_GLOBAL,
			jit_names.texts.at + jit_names.names.at[part->number]);
	overlay_free(&jit_names.parts);
	array_free(&jit_names.names);
	strbuf_free(&jit_names.texts);
}

void jit_symbols_add_timed(
	const struct survey *survey, uint32_t pid, struct symtab *table)
{
	const struct jit_process *process = jit_section_find(&survey->jit, pid);

	if (!process)
		return;
	array_each(&process->symbols, symbol)
		if (symbol->since)
			symtab_add(table, symbol->place,
				symbol->place + symbol->size, STB_GLOBAL,
				jit_symbol_name(process, symbol));
}
