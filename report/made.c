/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/made.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "common/perfmap.h"

/* Of hostile files no more is kept than this. */
#define SYMBOLS_MAX 4000000u

static bool is_this_machine(struct reader *reader)
{
	const char *recorded = reader_features(reader)->hostname;
	struct utsname here;

	return !recorded ||
		(uname(&here) == 0 && string_is(recorded, here.nodename));
}

/* Anybody may put a file there: only root's and our own are believed. */
static int open_perfmap(uint32_t pid)
{
	_cleanup_free_ char *path = xasprintf("/tmp/perf-%u.map", pid);
	_cleanup_close_ int fd = open(path,
		O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	struct stat file;

	if (fd < 0 || fstat(fd, &file) < 0 || !S_ISREG(file.st_mode) ||
		(file.st_uid && file.st_uid != geteuid()))
		return -1;
	return take_fd(fd);
}

static void add_perfmap(uint32_t pid, struct symtab *table)
{
	_cleanup_close_ int fd = open_perfmap(pid);
	struct perfmap_entry entry;
	struct perfmap *map;

	if (fd < 0)
		return;
	map = perfmap_open(fd);
	while (table->symbols.n < SYMBOLS_MAX && perfmap_next(map, &entry))
		symtab_add(table, entry.start, entry.start + entry.size,
			STB_GLOBAL, entry.name);
	perfmap_close(map);
}

void made_names(const struct survey *survey, struct reader *reader,
	uint32_t pid, struct symtab *table)
{
	const struct jit_process *process = jit_find(&survey->jit, pid);

	if (!process) {
		if (is_this_machine(reader))
			add_perfmap(pid, table);
		return;
	}
	array_each(&process->symbols, symbol)
		if (!symbol->since)
			symtab_add(table, symbol->start,
				symbol->start + symbol->size, STB_GLOBAL,
				jit_name(process, symbol));
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
