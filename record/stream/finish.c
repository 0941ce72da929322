/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/finish.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>

#include "common/file/jit_section.h"
#include "common/file/symbols_section.h"
#include "common/util/log.h"
#include "record/stream/host.h"
#include "record/symbols/embed.h"
#include "record/sys/clocks.h"

#define PATIENCE_MS 10000u /* for the symbols of one file */

static void put_text(struct strbuf *out, const char *key, const char *value)
{
	strbuf_put(out, key, strlen(key) + 1);
	strbuf_put(out, value, strlen(value) + 1);
}

static void put_number(struct strbuf *out, const char *key, uint64_t value)
{
	_cleanup_free_ char *text = xasprintf("%" PRIu64, value);

	put_text(out, key, text);
}

static uint64_t milliseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000 + (uint64_t)t->tv_usec / 1000;
}

/* Before names are looked for, which takes its time. */
static void put_clocks(struct strbuf *out)
{
	uint64_t wall, clock;

	host_read_clocks(&wall, &clock);
	put_number(out, "clock_close_wall_ns", wall);
	put_number(out, META_CLOCK_CLOSE, clock);
}

static void put_meta(const struct finish *finish, struct strbuf *out)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	put_text(out, "end", finish->reason);
	put_number(out, "queue_peak_bytes", queue_peak_bytes(finish->queue));
	put_number(out, "recorder_samples", finish->own_samples);
	if (finish->cut_stacks)
		put_number(out, "stacks_cut", finish->cut_stacks);
	if (finish->bare_stacks)
		put_number(out, "stacks_left_out", finish->bare_stacks);
	if (finish->stacks)
		stacks_write(finish->stacks, out);
	put_number(out, "recorder_cpu_ms",
		milliseconds(&usage.ru_utime) + milliseconds(&usage.ru_stime));
}

static void describe_closing(
	const struct finish *finish, struct features *closing)
{
	closing->first_time = finish->part->first_time;
	closing->last_time = finish->part->last_time;
	if (closing->first_time)
		features_mark(closing, FEATURE_SAMPLE_TIME);
	embed_build_ids(finish->hits, closing);
	if (closing->build_ids.n)
		features_mark(closing, FEATURE_BUILD_ID);
}

/* How well the data compressed isn't known before. */
static void describe_again(
	const struct finish *finish, struct features *closing)
{
	const struct features *head = finish->head;
	uint64_t size = MAX(writer_size(finish->part->writer), UINT64_C(1));
	uint64_t ratio = finish->part->raw_bytes / size;

	if (!feature_is_present(head, FEATURE_COMPRESSED))
		return;
	closing->compression_level = head->compression_level;
	closing->mmap_len = head->mmap_len;
	closing->compression_ratio = (uint32_t)MAX(ratio, UINT64_C(1));
	features_mark(closing, FEATURE_COMPRESSED);
}

/* Nothing is known of a clock that the kernel chose instead of ours. */
static struct jitdump_clock clock_of(const struct features *head)
{
	array_each(&head->events, event)
		if (!event->attr.use_clockid ||
			event->attr.clockid != clocks_chosen())
			return (struct jitdump_clock){ 0 };
	return clocks_of_jitdumps();
}

static void put_names(
	const struct finish *finish, struct strbuf *symbols, struct strbuf *jit)
{
	struct patience *patience = patience_create(PATIENCE_MS);
	const struct embed embed = {
		.hits = finish->hits,
		.kallsyms = finish->kallsyms,
		.patience = patience,
		.pins = keeper_pins(finish->keeper),
		.jits = keeper_jits(finish->keeper),
		.clock = clock_of(finish->head),
		.started = finish->head->clock_wall,
	};

	embed_symbols(&embed, symbols);
	embed_jit(&embed, jit);
	patience_destroy(patience);
}

struct error *finish_file(const struct finish *finish)
{
	struct writer_section sections[] = {
		{ SECTION_SYMBOLS, BUNDLE_VERSION, { 0 } },
		{ SECTION_JIT, JIT_VERSION, { 0 } },
		{ SECTION_LOSSES, LOSS_VERSION, { 0 } },
		{ SECTION_META, META_VERSION, { 0 } },
	};
	struct features closing = { 0 };
	struct error *err;
	size_t i;

	put_clocks(&sections[3].raw);
	describe_closing(finish, &closing);
	describe_again(finish, &closing);
	put_names(finish, &sections[0].raw, &sections[1].raw);
	losses_write(finish->losses, finish->n_losses, &sections[2].raw);
	put_meta(finish, &sections[3].raw);
	err = writer_close(
		finish->part->writer, &closing, sections, ARRAY_SIZE(sections));
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		strbuf_free(&sections[i].raw);
	features_deinit(&closing);
	return err;
}

static void put_bytes(struct strbuf *out, uint64_t bytes)
{
	if (bytes < KIB(10))
		strbuf_printf(out, "%" PRIu64 " bytes", bytes);
	else if (bytes < MIB(10))
		strbuf_printf(out, "%" PRIu64 " KiB", bytes / KIB(1));
	else
		strbuf_printf(out, "%" PRIu64 " MiB", bytes / MIB(1));
}

/* Each cause with what helps against it. */
static void tell_lost(const struct loss *loss, bool unwinds_slowly)
{
	if (loss->kernel)
		log_note("%" PRIu64 " sample%s lost in the kernel, a ring "
			 "being full; larger rings (-m), a real-time priority "
			 "(-r 1) or fewer samples (-F, -c) help",
			loss->kernel, loss->kernel == 1 ? " was" : "s were");
	if (loss->dropped)
		log_note("%" PRIu64 " sample%s dropped: %s fell behind; "
			 "--queue-size or %s help",
			loss->dropped, loss->dropped == 1 ? " was" : "s were",
			unwinds_slowly ? "unwinding" : "disk and compression",
			unwinds_slowly ? "fewer samples (-F, -c)" : "-z0");
	if (loss->throttled)
		log_note("the kernel throttled sampling %" PRIu64 " time%s, "
			 "and took no samples then; fewer (-F, -c) help, or: "
			 "sysctl kernel.perf_event_max_sample_rate=RATE",
			loss->throttled, plural(loss->throttled));
}

/* A share of the whole that distorts the picture is told. */
static void tell_own(uint64_t own, uint64_t samples)
{
	log_verbose("%" PRIu64 " sample%s of dwell itself", own,
		own == 1 ? " is" : "s are");
	if (own > samples / 50)
		log_note("%.1f %% of the samples are of dwell itself; "
			 "--exclude-perf leaves them out",
			(double)own * 100 / (double)samples);
}

/* Copies that gave way before samples had to. */
static void tell_cut(const struct counts *counts, bool is_unwound)
{
	if (counts->cut || counts->bare)
		log_note("%" PRIu64 " copies of stacks were cut and %" PRIu64
			 " left out: %s fell behind; --queue-size or fewer "
			 "samples (-F, -c) help",
			counts->cut, counts->bare,
			is_unwound ? "unwinding" : "disk and compression");
}

void finish_tell(const struct summary *summary)
{
	struct loss loss = losses_sum(summary->losses);
	uint64_t raw = intake_raw_bytes(summary->intake);
	const struct counts *counts = intake_counts(summary->intake);
	bool is_unwound = summary->stacks->all > 0;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	put_bytes(&text, summary->size);
	strbuf_puts(&text, " in ");
	if (summary->n_files > 1)
		strbuf_printf(&text, "%zu files, the last one ",
			summary->n_files);
	strbuf_puts(&text, summary->path);
	log_note("%" PRIu64 " sample%s, %" PRIu64 " lost, %s (1:%.1f)",
		loss.samples, plural(loss.samples),
		loss.kernel + loss.dropped, text.at,
		(double)raw / (double)MAX(summary->size, UINT64_C(1)));
	/* Copies are left out before samples are. */
	tell_lost(&loss, is_unwound && (counts->cut || counts->bare));
	tell_cut(counts, is_unwound);
	stacks_tell(summary->stacks);
	losses_tell(summary->losses);
	tell_own(intake_own_samples(summary->intake), loss.samples);
	if (summary->has_lost_sideband)
		log_note("records of mappings were lost in the kernel, and "
			 "/proc was read again; larger rings (-m) help");
}
