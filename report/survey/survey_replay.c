/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a survey: adds the sideband records to the maps, in the order of
 * time.
 */
#include "config.h"

#include <time.h>

#include "common/util/alloc.h"
#include "report/survey/survey.h"
#include "report/survey/survey_private.h"
#include "report/util/local_files.h"

static int compare_kept_records(const void *a, const void *b)
{
	const struct survey_kept_record *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->order, right->order);
}

/* The JIT code whose names the recording has. */
enum names {
	NAMES_NONE,
	NAMES_RECORDED, /* names of code that samples hit during recording */
	/*
	 * The names of all code that samples hit. Other sections of the file
	 * refer to the places of this code.
	 */
	NAMES_PACKED,
};

/*
 * If the recording has names of JIT code, jitdumps are needed only for source
 * lines and machine code. But stack copies that are unwound later contain
 * callers without names in the recording.
 */
static void read_jit_names(struct survey_pass *pass)
{
	static const char *const sections[] = {
		[NAMES_PACKED] = SECTION_PACKED_JIT,
		[NAMES_RECORDED] = SECTION_JIT,
	};
	_cleanup_strbuf_ struct strbuf section = { 0 };
	enum names names = NAMES_PACKED;
	bool are_all, has_clock = false;
	struct jitdump_clock clock = { .is_monotonic = true };
	struct survey *survey = pass->survey;
	struct record record;
	struct record_mmap map;
	size_t i;

	while (names != NAMES_NONE &&
		!reader_section(pass->reader, sections[names],
			JIT_SECTION_VERSION, &section)) {
		strbuf_clear(&section);
		names--;
	}
	if (names != NAMES_NONE)
		jit_section_read(
			bytes_of(section.at, section.n, false), &survey->jit);
	if (!local_files_match_host(pass->reader))
		return;
	are_all = names != NAMES_NONE;
	for (i = 0; i < reader_n_events(pass->reader); i++) {
		const struct perf_event_attr *attr =
			&reader_event(pass->reader, i)->attr;

		if (names == NAMES_RECORDED &&
			attr->sample_type & PERF_SAMPLE_STACK_USER)
			are_all = false;
		/*
		 * Timestamps are from perf's own clock, or with `perf record
		 * -k` from the given clock.
		 */
		if (has_clock)
			continue;
		has_clock = attr->use_clockid;
		if (!has_clock || attr->clockid != CLOCK_MONOTONIC)
			clock.is_monotonic = false;
	}
	if (!has_clock)
		clock.ticks = survey->ticks;
	array_each(&pass->kept, kept) {
		if (!record_at((const uint8_t *)pass->arena.at + kept->offset,
			    pass->arena.n - kept->offset, false, &record) ||
			(record.type != RECORD_MMAP &&
				record.type != RECORD_MMAP2) ||
			!record_read_mmap(&record, &map))
			continue;
		if (are_all)
			jitdumps_add(&survey->dumps, &map, &clock);
		else
			jitdumps_add_names(
				&survey->dumps, &map, &clock, &survey->jit);
	}
}

/*
 * Adds data mappings, too, for resolving data addresses. maps_add_record()
 * ignores data mappings, because recorders resolve only code.
 */
static bool replay_kept_record(
	struct maps *maps, const struct record *record, uint64_t time)
{
	bool is_mapping =
		record->type == RECORD_MMAP || record->type == RECORD_MMAP2;
	struct record_mmap map;

	if (record->type == RECORD_EXIT) {
		struct record_task task;

		if (!record_read_task(record, &task))
			return false;
		maps_end_thread(maps, task.pid, task.tid, time);
		return true;
	}
	if (!is_mapping || !(record->misc & MISC_MMAP_DATA))
		return maps_add_record(maps, record, time);
	if (!record_read_mmap(record, &map))
		return false;
	maps_add_mmap(maps, &map, time);
	return true;
}

void survey_replay(struct survey_pass *pass)
{
	struct survey *survey = pass->survey;
	struct record record;

	read_jit_names(pass);
	/*
	 * Each JIT code that shared an address with other code is a mapping
	 * from the load time of the code on.
	 */
	array_each(&survey->jit.processes, process)
		array_each(&process->symbols, symbol) {
			if (!survey->has_time || !symbol->since)
				continue;

			_cleanup_free_ char *path = xasprintf(
				SURVEY_TIMED_JIT_NAME "%u", process->pid);
			const struct record_mmap map = {
				.pid = process->pid,
				.tid = process->pid,
				.start = symbol->start,
				.size = symbol->size,
				.offset = symbol->place,
				.path = path,
			};

			const struct survey_kept_record kept = { symbol->since,
				pass->kept.n, pass->arena.n, 0 };

			*array_push(&pass->kept) = kept;
			record_write_mmap2(
				&pass->arena, MISC_USER, &map, NULL, 0);
		}
	array_sort(&pass->kept, compare_kept_records);
	array_each(&pass->kept, kept) {
		const uint8_t *data =
			(const uint8_t *)pass->arena.at + kept->offset;

		if (!record_at(data, pass->arena.n - kept->offset, false,
			    &record) ||
			!replay_kept_record(survey->maps, &record, kept->time))
			incomplete_damage_add(
				&survey->damaged, 1, kept->position);
	}
}
