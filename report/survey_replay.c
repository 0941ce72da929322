/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a survey: sideband in the order of time becomes maps. */
#include "config.h"

#include "common/alloc.h"
#include "report/survey.h"
#include "report/survey_private.h"

static int compare_kept(const void *a, const void *b)
{
	const struct kept *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->order, right->order);
}

static void keep_timed(
	struct survey_pass *pass, uint32_t pid, const struct jit_symbol *symbol)
{
	_cleanup_free_ char *path = xasprintf(SURVEY_TIMED_NAME "%u", pid);
	const struct record_mmap map = {
		.pid = pid,
		.tid = pid,
		.start = symbol->start,
		.size = symbol->size,
		.offset = symbol->place,
		.path = path,
	};
	struct kept kept = { symbol->since, pass->kept.n, pass->arena.n, 0 };

	record_write_mmap2(&pass->arena, MISC_USER, &map, NULL, 0);
	*array_push(&pass->kept) = kept;
}

/* Code that was at an address for a time is as good as mapped there then. */
static void read_jit(struct survey_pass *pass)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };
	struct survey *survey = pass->survey;

	if (!reader_section(
		    pass->reader, SECTION_JIT, JIT_VERSION, &section))
		return;
	jit_read(bytes_of(section.at, section.n, false), &survey->jit);
	if (!survey->has_time)
		return;
	array_each(&survey->jit.processes, process)
		array_each(&process->symbols, symbol)
			if (symbol->since)
				keep_timed(pass, process->pid, symbol);
}

/* Recorders look for code alone; here data have names, too. */
static bool replay_record(
	struct maps *maps, const struct record *record, uint64_t time)
{
	bool is_mapping = record->type == RECORD_MMAP ||
		record->type == RECORD_MMAP2;
	struct record_mmap map;

	if (!is_mapping || !(record->misc & MISC_MMAP_DATA))
		return maps_add_record(maps, record, time);
	if (!record_read_mmap(record, &map))
		return false;
	maps_add_mmap(maps, &map, time);
	return true;
}

static void replay_kept(struct survey_pass *pass)
{
	struct record record;

	array_sort(&pass->kept, compare_kept);
	array_each(&pass->kept, kept) {
		const uint8_t *data =
			(const uint8_t *)pass->arena.at + kept->offset;

		if (!record_at(data, pass->arena.n - kept->offset, false,
			    &record) ||
			!replay_record(
				pass->survey->maps, &record, kept->time))
			damage_add(&pass->survey->damaged, 1, kept->position);
	}
}

void survey_replay(struct survey_pass *pass)
{
	read_jit(pass);
	replay_kept(pass);
}
