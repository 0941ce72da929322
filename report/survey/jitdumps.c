/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/jitdumps.h"

#include <stdio.h>

#include "common/util/address_ranges.h"
#include "common/util/alloc.h"
#include "report/util/local_files.h"

/* Each open jitdump needs a file descriptor. */
#define DUMPS_MAX 256u
/* Limit of the bytes of all JIT names of one process. */
#define NAMES_MAX MIB(256)

void jitdumps_deinit(struct jitdumps *dumps)
{
	array_each(&dumps->list, dump) {
		jitcodes_destroy(dump->codes);
		array_free(&dump->places);
		free(dump->path);
	}
	array_free(&dumps->list);
}

struct jitdumps_file *jitdumps_find(const struct jitdumps *dumps, uint32_t pid)
{
	array_each(&dumps->list, dump)
		if (dump->pid == pid)
			return dump;
	return NULL;
}

/* --- names -----------------------------------------------------------------
 */

static void add_jitdump_name(struct jit_process *process,
	const struct jitdumps_file *dump, const struct jitcode *code,
	struct jit_symbol symbol)
{
	char name[JITDUMP_NAME_MAX];

	jitcodes_name(dump->codes, code, name);
	symbol.source = JIT_DUMP;
	if (*name && process->names.n < NAMES_MAX)
		jit_process_add(process, &symbol, name);
}

/* For jitdumps without times: the last code at an address is used. */
static void add_untimed_codes(
	struct jit_process *process, const struct jitdumps_file *dump)
{
	struct address_ranges parts = { 0 };
	const struct jitcode *codes;
	size_t n, i;

	codes = jitcodes_all(dump->codes, &n);
	for (i = 0; i < n; i++)
		*array_push(&parts.ranges) =
			(struct address_range){ codes[i].start, codes[i].end,
				codes[i].order };
	address_ranges_flatten(&parts);
	array_each(&parts.ranges, part)
		add_jitdump_name(process, dump,
			jitcodes_find(dump->codes, part->start, UINT64_MAX)
				.code,
			(struct jit_symbol){ .start = part->start,
				.size = part->end - part->start });
	address_ranges_free(&parts);
}

static void add_timed_codes(
	struct jit_process *process, struct jitdumps_file *dump)
{
	_cleanup_free_ bool *is_shared = NULL;
	const struct jitcode *codes;
	uint64_t place = 0;
	size_t n, widest = 0, i;

	/* Codes are shared whose address ranges overlap; sorted by start. */
	codes = jitcodes_all(dump->codes, &n);
	is_shared = xcalloc(n + 1, sizeof(*is_shared));
	for (i = 1; i < n; i++) {
		if (codes[widest].end > codes[i].start)
			is_shared[i] = is_shared[widest] = true;
		if (codes[i].end > codes[widest].end)
			widest = i;
	}
	for (i = 0; i < n; i++) {
		struct jit_symbol symbol = { .start = codes[i].start,
			.size = codes[i].end - codes[i].start };

		if (is_shared[i]) {
			symbol.since = MAX(codes[i].since, UINT64_C(1));
			symbol.place = place;
			*array_push(&dump->places) =
				(struct jitdumps_place){ place, symbol.start,
					symbol.since };
			if (__builtin_add_overflow(place, symbol.size, &place))
				break;
		}
		add_jitdump_name(process, dump, &codes[i], symbol);
	}
}

/* --- files -----------------------------------------------------------------
 */

/* A different file may have the path now, so the inode is compared. */
static struct jitcodes *open_jitdump_codes(const char *path, uint64_t inode)
{
	struct stat file;
	int fd = local_file_open(path, &file);
	struct jitcodes *codes;

	if (fd >= 0 && inode && inode != file.st_ino) {
		local_file_report(path, "ignored: it is not the recorded file");
		base_close_fd(&fd);
	}
	if (fd < 0)
		return NULL;
	codes = jitcodes_create(fd);
	if (!codes)
		local_file_report(
			path, "ignored: it is not a readable jitdump");
	return codes;
}

static void read_jitdump_codes(struct jitcodes *codes, const char *path,
	const struct jitdump_clock *clock)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct jitdump_end end;

	jitcodes_update(codes, clock);
	end = jitcodes_end(codes);
	/* A process may have no JIT code. */
	if (end.ending == JITDUMP_WHOLE || end.ending == JITDUMP_EMPTY)
		return;
	jitdump_end_put(&end, &text);
	local_file_report(path, text.at);
}

static bool is_new_jitdump(
	const struct jitdumps *dumps, const struct record_mmap *map)
{
	/* ".../jit-1234.dump" */
	const char *base = strrchr(map->path, '/');
	unsigned pid;
	int n = 0;

	return base && sscanf(base, "/jit-%u.dump%n", &pid, &n) == 1 && n &&
		!base[n] && dumps->list.n < DUMPS_MAX &&
		!jitdumps_find(dumps, map->pid);
}

void jitdumps_add_names(struct jitdumps *dumps, const struct record_mmap *map,
	const struct jitdump_clock *clock, struct jit_section *jit)
{
	struct jitcodes *codes;
	struct jitdumps_file *dump;

	if (!is_new_jitdump(dumps, map))
		return;
	codes = open_jitdump_codes(map->path, map->inode);
	if (!codes)
		return;
	read_jitdump_codes(codes, map->path, clock);
	dump = array_push(&dumps->list);
	dump->pid = map->pid;
	dump->has_names = true;
	dump->codes = codes;
	struct jit_process *process = jit_section_find(jit, dump->pid);

	if (!process) {
		process = array_push(&jit->processes);
		process->pid = dump->pid;
	}
	/*
	 * Remove the names that are from a jitdump; names from a perf map stay.
	 */
	size_t n = 0;

	array_each(&process->symbols, symbol)
		if (symbol->source != JIT_DUMP)
			process->symbols.at[n++] = *symbol;
	process->symbols.n = n;
	if (jitcodes_has_times(dump->codes, clock))
		add_timed_codes(process, dump);
	else
		add_untimed_codes(process, dump);
}

void jitdumps_add(struct jitdumps *dumps, const struct record_mmap *map,
	const struct jitdump_clock *clock)
{
	struct jitdumps_file *dump;

	if (!is_new_jitdump(dumps, map))
		return;
	dump = array_push(&dumps->list);
	dump->pid = map->pid;
	dump->path = xstrdup(map->path);
	dump->inode = map->inode;
	dump->clock = *clock;
}

struct jitdumps_file *jitdumps_open(const struct jitdumps *dumps,
	const struct jit_section *jit, uint32_t pid)
{
	const struct jit_process *process = jit_section_find(jit, pid);
	struct jitdumps_file *dump = jitdumps_find(dumps, pid);
	_cleanup_free_ char *path = NULL;

	if (!dump)
		return NULL;
	path = take_pointer(dump->path);
	if (path)
		dump->codes = open_jitdump_codes(path, dump->inode);
	if (!path || !dump->codes)
		return dump->codes ? dump : NULL;
	read_jitdump_codes(dump->codes, path, &dump->clock);
	if (!process)
		return dump;
	/* The symbols may be from the recording. */
	array_each(&process->symbols, symbol)
		if (symbol->since)
			*array_push(&dump->places) =
				(struct jitdumps_place){ symbol->place,
					symbol->start, symbol->since };
	array_sort(&dump->places, array_compare_u64);
	return dump;
}

/* --- lookups ---------------------------------------------------------------
 */

/*
 * Returns the address of the JIT code at OFFSET in the DSO. *TIME_RET is a time
 * at which the code was at this address.
 */
static uint64_t dump_code_address(
	const struct jitdumps_code *code, uint64_t offset, uint64_t *time_ret)
{
	const struct jitdumps_file *dump = code->dump;
	const struct jitdumps_place *at;
	size_t i;

	*time_ret = UINT64_MAX;
	if (!code->is_timed)
		return offset;
	i = array_count_before(&dump->places, x, x->place <= offset);
	at = i ? &dump->places.at[i - 1] : NULL;
	*time_ret = at ? at->since : 0;
	return at ? at->address + (offset - at->place) : offset;
}

struct jitcodes_part jitdumps_code_find(
	const struct jitdumps_code *code, uint64_t offset)
{
	uint64_t time, address = dump_code_address(code, offset, &time);

	return jitcodes_find(code->dump->codes, address, time);
}

bool jitdumps_code_line(const struct jitdumps_code *code, uint64_t offset,
	struct strbuf *file, uint32_t *line_ret)
{
	uint64_t time, address = dump_code_address(code, offset, &time);
	struct jitcodes_part part =
		jitcodes_find(code->dump->codes, address, time);

	return part.code &&
		jitcodes_line(code->dump->codes, part.code,
			address - part.code->start, file, line_ret);
}

size_t jitdumps_code_read(const struct jitdumps_code *code, uint64_t offset,
	void *out, size_t size, uint64_t *address_ret)
{
	uint64_t time, address = dump_code_address(code, offset, &time);
	struct jitcodes_part part =
		jitcodes_find(code->dump->codes, address, time);

	*address_ret = address;
	if (!part.code)
		return 0;
	return jitcodes_read(code->dump->codes, part.code,
		address - part.code->start, out,
		MIN((uint64_t)size, part.end - address));
}

unsigned jitdumps_code_machine(const struct jitdumps_code *code)
{
	return jitcodes_machine(code->dump->codes);
}
