/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/finish.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>

#include "common/file/jit_section.h"
#include "common/file/line_unit.h"
#include "common/file/symbols_section.h"
#include "common/util/log.h"
#include "record/stream/file_head.h"
#include "record/symbols/symbol_sections.h"
#include "record/sys/clocks.h"
#include "record/unwind/stack_counts_log.h"

#define SYMBOLS_TIMEOUT_MS 10000u /* time limit for the symbols of one file */

static void put_meta_text(
	struct strbuf *out, const char *key, const char *value)
{
	strbuf_put(out, key, strlen(key) + 1);
	strbuf_put(out, value, strlen(value) + 1);
}

static void put_meta_number(struct strbuf *out, const char *key, uint64_t value)
{
	_cleanup_free_ char *text = xasprintf("%" PRIu64, value);

	put_meta_text(out, key, text);
}

static uint64_t timeval_ms(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000 + (uint64_t)t->tv_usec / 1000;
}

static bool has_stack_copies(const struct features *head)
{
	array_each(&head->events, event)
		if (event->attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

static void put_meta_section(const struct finish *finish, struct strbuf *out)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	put_meta_text(out, "end", finish->reason);
	put_meta_number(
		out, "queue_peak_bytes", queue_peak_bytes(finish->queue));
	put_meta_number(out, "recorder_samples", finish->own_samples);
	if (finish->shortened_stacks)
		put_meta_number(out, "stacks_cut", finish->shortened_stacks);
	if (finish->omitted_stacks)
		put_meta_number(out, "stacks_left_out", finish->omitted_stacks);
	if (finish->stacks)
		stack_counts_write(finish->stacks, out);
	/*
	 * Append the counts of call chains by frame pointers that lack callers,
	 * or nothing if callers are found by stack copies.
	 */
	const struct cut_chains *chains =
		sampled_code_cut_chains(finish->sampled);
	_cleanup_strbuf_ struct strbuf files = { 0 };

	if (!finish->stacks && !has_stack_copies(finish->head) &&
		cut_chains_are_many(chains)) {
		cut_chains_put_files(
			chains, sampled_code_maps(finish->sampled), &files);
		put_meta_number(out, "chains", chains->n);
		put_meta_number(out, "chains_cut", chains->cut);
		put_meta_text(out, "chains_cut_in", files.at);
	}
	/* Append the sentences about processes with code without names. */
	array_each(&sampled_code_unnamed(finish->sampled)->sentences, sentence)
		put_meta_text(out, "unnamed_code", *sentence);
	/* Append a sentence about programs whose events the kernel removed. */
	_cleanup_strbuf_ struct strbuf text = { 0 };

	removed_events_put(
		sampled_code_removed(finish->sampled), geteuid() == 0, &text);
	if (text.n)
		put_meta_text(out, "events_removed", text.at);
	/*
	 * Append the names of the interpreters whose functions are in the
	 * recording.
	 */
	const struct maps *maps = sampled_code_maps(finish->sampled);
	enum runtime_number runtime;
	uint32_t i;

	for (i = 0; i < maps_n_dsos(maps); i++) {
		runtime = runtime_dso_find(maps_dso(maps, i)->path);
		if (runtime < RUNTIMES && runtime_dso_is_interpreted(runtime))
			put_meta_text(
				out, "interpreters", runtimes_name_of(runtime));
	}
	for (i = 0; finish->runtimes && i < RUNTIMES; i++) {
		struct runtimes_counts counts =
			runtimes_counts(finish->runtimes, i);
		_cleanup_free_ char *frames = NULL;

		if (!counts.read && !counts.rejected)
			continue;
		frames = xasprintf("%s %" PRIu64 " %" PRIu64,
			runtimes_name_of(i), counts.read, counts.rejected);
		put_meta_text(out, META_RUNTIME_FRAMES, frames);
	}
	put_meta_number(out, "recorder_cpu_ms",
		timeval_ms(&usage.ru_utime) + timeval_ms(&usage.ru_stime));
}

/*
 * Returns how the times in jitdump files are converted to the clock of the
 * records; unknown if the kernel uses another clock than the chosen clock.
 */
static struct jitdump_clock jitdump_clock_of(const struct features *head)
{
	array_each(&head->events, event)
		if (!event->attr.use_clockid ||
			event->attr.clockid != clocks_chosen())
			return (struct jitdump_clock){ 0 };
	return clocks_of_jitdumps();
}

/* The sections at the end of a file, in their order. */
enum closing_section {
	CLOSING_SYMBOLS,
	CLOSING_JIT,
	CLOSING_LINES,
	CLOSING_LOSSES,
	CLOSING_META,
	CLOSING_UNSAMPLED,
};

/* Appends the contents of the sections "symbols", "jit" and "lines" to SECTIONS. */
static void put_symbol_sections(
	const struct finish *finish, struct writer_section *sections)
{
	struct timed_worker *worker = timed_worker_create(SYMBOLS_TIMEOUT_MS);
	struct file_owners owners = { 0 };
	const struct symbol_sections embed = {
		.sampled = finish->sampled,
		.kallsyms = finish->kallsyms,
		.worker = worker,
		.owners = &owners,
		.pins = file_tracker_pins(finish->tracker),
		.jits = file_tracker_jits(finish->tracker),
		.runtimes = finish->runtimes,
		.clock = jitdump_clock_of(finish->head),
		.started = finish->head->clock_wall,
	};

	symbol_sections_symbols(&embed, &sections[CLOSING_SYMBOLS].raw);
	symbol_sections_jit(&embed, &sections[CLOSING_JIT].raw);
	symbol_sections_lines(&embed, &sections[CLOSING_LINES].raw);
	file_owners_deinit(&owners);
	timed_worker_destroy(worker);
}

/*
 * Moves the sections SECTION_LINES and SECTION_UNSAMPLED, if they are empty, to the end
 * of the N SECTIONS: a file does not contain them then. Returns the number of the
 * others.
 */
static size_t omit_empty_sections(struct writer_section *sections, size_t n)
{
	size_t kept = 0, i;

	for (i = 0; i < n; i++) {
		struct writer_section section = sections[i];

		if (!section.raw.n &&
			(string_is(section.name, SECTION_LINES) ||
				string_is(section.name, SECTION_UNSAMPLED)))
			continue;
		sections[i] = sections[kept];
		sections[kept++] = section;
	}
	return kept;
}

struct error *finish_file(const struct finish *finish)
{
	struct writer_section sections[] = {
		[CLOSING_SYMBOLS] = { SECTION_SYMBOLS, SYMBOLS_SECTION_VERSION,
			{ 0 } },
		[CLOSING_JIT] = { SECTION_JIT, JIT_SECTION_VERSION, { 0 } },
		[CLOSING_LINES] = { SECTION_LINES, LINE_UNIT_VERSION, { 0 } },
		[CLOSING_LOSSES] = { SECTION_LOSSES, LOSS_VERSION, { 0 } },
		[CLOSING_META] = { SECTION_META, META_VERSION, { 0 } },
		[CLOSING_UNSAMPLED] = { SECTION_UNSAMPLED, UNSAMPLED_VERSION,
			{ 0 } },
	};
	size_t n = ARRAY_SIZE(sections), i;
	struct features closing = { 0 };
	struct error *err;

	/*
	 * Append the times of closing the file before symbols are read, which
	 * takes time.
	 */
	uint64_t wall, clock;

	file_head_read_clocks(&wall, &clock);
	put_meta_number(
		&sections[CLOSING_META].raw, "clock_close_wall_ns", wall);
	put_meta_number(&sections[CLOSING_META].raw, META_CLOCK_CLOSE, clock);
	closing.first_time = finish->file->first_time;
	closing.last_time = finish->file->last_time;
	if (closing.first_time)
		features_mark(&closing, FEATURE_SAMPLE_TIME);
	symbol_sections_build_ids(finish->sampled, &closing);
	if (closing.build_ids.n)
		features_mark(&closing, FEATURE_BUILD_ID);
	/* Set the final compression ratio of the file in CLOSING. */
	const struct features *head = finish->head;
	uint64_t size = MAX(writer_size(finish->file->writer), UINT64_C(1));
	uint64_t ratio = finish->file->raw_bytes / size;

	if (feature_is_present(head, FEATURE_COMPRESSED)) {
		closing.compression_level = head->compression_level;
		closing.mmap_len = head->mmap_len;
		closing.compression_ratio = (uint32_t)MAX(ratio, UINT64_C(1));
		features_mark(&closing, FEATURE_COMPRESSED);
	}
	put_symbol_sections(finish, sections);
	losses_write(finish->losses, finish->n_losses,
		&sections[CLOSING_LOSSES].raw);
	put_meta_section(finish, &sections[CLOSING_META].raw);
	unsampled_time_end_file(finish->unsampled_time, finish->counts,
		&sections[CLOSING_UNSAMPLED].raw);
	n = omit_empty_sections(sections, n);
	err = writer_close(finish->file->writer, &closing, sections, n);
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		strbuf_free(&sections[i].raw);
	features_deinit(&closing);
	return err;
}

/*
 * Reports call chains of the last file that were cut because code has no frame
 * pointers.
 */
static void report_cut_chains(const struct sampled_code *sampled)
{
	const struct cut_chains *chains = sampled_code_cut_chains(sampled);
	_cleanup_strbuf_ struct strbuf files = { 0 };

	if (!cut_chains_are_many(chains))
		return;
	cut_chains_put_files(chains, sampled_code_maps(sampled), &files);
	log_note("%.0f %% of the stacks are cut: no frame pointers in %s. To "
		 "record complete stacks: -g",
		100.0 * (double)chains->cut / (double)chains->n, files.at);
}

/* Reports the lost samples by cause, each with a remedy. */
static void report_lost_samples(const struct loss *loss, bool unwinds_slowly)
{
	if (loss->kernel)
		log_note("%" PRIu64
			 " sample%s lost in the kernel: a ring buffer was "
			 "full. Use larger ring buffers (-m), real-time "
			 "priority (-r 1) or fewer samples (-F, -c)",
			loss->kernel, loss->kernel == 1 ? " was" : "s were");
	if (loss->dropped)
		log_note("%" PRIu64 " sample%s dropped: %s fell behind. Use a "
			 "larger --queue-size or %s",
			loss->dropped, loss->dropped == 1 ? " was" : "s were",
			unwinds_slowly ? "unwinding" : "compression or disk",
			unwinds_slowly ? "fewer samples (-F, -c)" : "-z0");
	if (loss->throttled)
		log_note("the kernel throttled sampling %" PRIu64
			 " time%s: the rate exceeded its limit. Use fewer "
			 "samples (-F, -c), or as root: sysctl "
			 "kernel.perf_event_max_sample_rate=RATE",
			loss->throttled, plural(loss->throttled));
}

void finish_report(const struct finish_summary *summary)
{
	struct loss loss = losses_sum(summary->losses);
	const struct recorded_counts *counts = intake_counts(summary->intake);
	bool is_unwound = summary->stacks->all > 0;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_put_size(&text, summary->size);
	strbuf_puts(&text, " in ");
	if (summary->n_files > 1)
		strbuf_printf(
			&text, "%zu files, the last one ", summary->n_files);
	strbuf_puts(&text, summary->path);
	/*
	 * Append the share that the file is of the bytes of its records, or
	 * nothing if the symbols and facts in the file outweigh what the
	 * compression saved.
	 */
	uint64_t raw = intake_raw_bytes(summary->intake);

	double percent =
		100.0 * (double)summary->size / (double)MAX(raw, UINT64_C(1));

	if (summary->size < raw)
		strbuf_printf(&text, " (compressed to %.*f %%)",
			percent < 1 ? 2 : 1, percent);
	log_note("%" PRIu64 " sample%s, %" PRIu64 " lost, %s", loss.samples,
		plural(loss.samples), loss.kernel + loss.dropped, text.at);
	/* Stack copies are omitted before samples are dropped. */
	report_lost_samples(&loss, is_unwound && (counts->cut || counts->bare));
	_cleanup_strbuf_ struct strbuf removed = { 0 };

	removed_events_put(sampled_code_removed(summary->sampled),
		geteuid() == 0, &removed);
	if (removed.n)
		log_note("%s", removed.at);
	unsampled_time_print(summary->unsampled_time);
	/*
	 * Report stack copies that were cut or omitted to avoid dropping
	 * samples.
	 */
	if (counts->cut || counts->bare)
		log_note("%" PRIu64 " stack copies were cut and %" PRIu64
			 " were omitted: %s fell behind. Use a larger "
			 "--queue-size or fewer samples (-F, -c)",
			counts->cut, counts->bare,
			is_unwound ? "unwinding" : "compression or disk");
	stack_counts_log(summary->stacks, summary->selection);
	if (summary->runtimes)
		runtimes_report(summary->runtimes);
	if (summary->by_frame_pointers)
		report_cut_chains(summary->by_frame_pointers);
	/*
	 * Print the sentences about processes of the last file with code
	 * without names.
	 */
	array_each(&sampled_code_unnamed(summary->sampled)->sentences, sentence)
		log_note("%s", *sentence);
	losses_report(summary->losses);
	/*
	 * Report samples of the recorder itself, as a note if they are more
	 * than 2 %.
	 */
	uint64_t own = counts->own;

	log_verbose("%" PRIu64 " sample%s of dwell record itself", own,
		own == 1 ? " is" : "s are");
	if (own > loss.samples / 50)
		log_note("%.1f %% of the samples are of dwell record itself. "
			 "To exclude them: --exclude-perf",
			(double)own * 100 / (double)loss.samples);
	if (summary->has_lost_sideband)
		log_note("the kernel lost records of mappings, and /proc was "
			 "read again. Use larger ring buffers (-m)");
}
