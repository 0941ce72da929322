/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/jit_symbols.h"

#include <elf.h>

#include "common/jit/perfmap.h"
#include "common/util/overlay.h"
#include "report/util/local_files.h"

/* Of hostile files no more is kept than this. */
#define SYMBOLS_MAX 4000000u
#define NAMES_MAX MIB(256)

/* All that was told, one after the other. */
struct telling {
	struct overlay parts;
	ARRAY(size_t) names; /* by number of a part: where it is in texts */
	struct strbuf texts;
};

static void tell(struct telling *telling, uint64_t start, uint64_t end,
	const char *name)
{
	if (start == end || telling->names.n == SYMBOLS_MAX ||
		telling->texts.n > NAMES_MAX)
		return;
	*array_push(&telling->parts.ranges) = (struct overlay_range){
		start, end, telling->names.n
	};
	*array_push(&telling->names) = telling->texts.n;
	strbuf_put(&telling->texts, name, strlen(name) + 1);
}

static void read_perfmap(uint32_t pid, struct telling *telling)
{
	_cleanup_free_ char *path = xasprintf("/tmp/perf-%u.map", pid);
	struct stat file;
	_cleanup_close_ int fd = here_open(path, &file);
	struct perfmap_entry entry;
	struct perfmap *map;

	if (fd < 0)
		return;
	map = perfmap_open(fd);
	while (perfmap_next(map, &entry))
		tell(telling, entry.start, entry.start + entry.size,
			entry.name);
	if (perfmap_has_endless(map))
		here_tell(path, "has an endless line, which is ignored");
	perfmap_close(map);
}

static void read_process(
	const struct jit_process *process, struct telling *telling)
{
	array_each(&process->symbols, symbol)
		if (!symbol->since)
			tell(telling, symbol->start,
				symbol->start + symbol->size,
				jit_name(process, symbol));
}

void made_names(const struct survey *survey, struct reader *reader,
	uint32_t pid, struct symtab *table)
{
	const struct jit_process *process = jit_find(&survey->jit, pid);
	const struct dump *dump = dumps_find(&survey->dumps, pid);
	bool is_whole = process && !(dump && dump->has_told);
	struct telling telling = { 0 };

	/* What the recording itself tells is all that was hit. */
	if (!is_whole && here_was_recorded(reader))
		read_perfmap(pid, &telling);
	if (process)
		read_process(process, &telling);
	overlay(&telling.parts);
	array_each(&telling.parts.ranges, part)
		symtab_add(table, part->start, part->end, STB_GLOBAL,
			telling.texts.at + telling.names.at[part->number]);
	overlay_deinit(&telling.parts);
	array_free(&telling.names);
	strbuf_free(&telling.texts);
}

void made_timed_names(
	const struct survey *survey, uint32_t pid, struct symtab *table)
{
	const struct jit_process *process = jit_find(&survey->jit, pid);

	if (!process)
		return;
	array_each(&process->symbols, symbol)
		if (symbol->since)
			symtab_add(table, symbol->place,
				symbol->place + symbol->size, STB_GLOBAL,
				jit_name(process, symbol));
}
