/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/finish.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "common/bundle.h"
#include "common/log.h"
#include "record/embed.h"
#include "record/host.h"

#define SECTION_VERSION 1u
#define PATIENCE_MS 10000u /* for the symbols of one file */

static void put_losses(const struct finish *finish, struct strbuf *out)
{
	const struct loss *losses = losses_get(finish->losses);
	size_t i;

	for (i = 0; i <= finish->n_events; i++) {
		strbuf_put_u64(out, losses[i].id);
		strbuf_put_u64(out, losses[i].samples);
		strbuf_put_u64(out, losses[i].kernel);
		strbuf_put_u64(out, losses[i].dropped);
	}
}

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

static void put_meta(const struct finish *finish, struct strbuf *out)
{
	struct rusage usage;
	uint64_t wall, clock;

	host_read_clocks(&wall, &clock);
	getrusage(RUSAGE_SELF, &usage);
	put_number(out, "clock_close_wall_ns", wall);
	put_number(out, "clock_close_ns", clock);
	put_text(out, "end", finish->reason);
	put_number(out, "queue_peak_bytes", queue_peak_bytes(finish->queue));
	put_number(out, "recorder_cpu_ms",
		milliseconds(&usage.ru_utime) + milliseconds(&usage.ru_stime));
}

static void describe_closing(
	const struct finish *finish, struct features *closing)
{
	intake_times(finish->intake, &closing->first_time, &closing->last_time);
	if (closing->first_time)
		features_mark(closing, FEATURE_SAMPLE_TIME);
	embed_build_ids(finish->hits, closing);
	if (closing->build_ids.n)
		features_mark(closing, FEATURE_BUILD_ID);
}

/*
 * HOSTNAME and EVENT_DESC stand at the end only: the header takes the place of
 * the first, and the stream has no record for the other. How well the data
 * compressed isn't known before.
 */
static void describe_again(
	const struct finish *finish, struct features *closing)
{
	const struct features *head = finish->head;
	uint64_t size = MAX(writer_size(finish->writer), UINT64_C(1));
	uint64_t ratio = intake_raw_bytes(finish->intake) / size;

	closing->hostname = head->hostname;
	features_mark(closing, FEATURE_HOSTNAME);
	memcpy(&closing->events, &head->events, sizeof(head->events));
	features_mark(closing, FEATURE_EVENT_DESC);
	if (!feature_is_present(head, FEATURE_COMPRESSED))
		return;
	closing->compression_level = head->compression_level;
	closing->mmap_len = head->mmap_len;
	closing->compression_ratio = (uint32_t)MAX(ratio, UINT64_C(1));
	features_mark(closing, FEATURE_COMPRESSED);
}

static void forget_again(struct features *closing)
{
	closing->hostname = NULL;
	memset(&closing->events, 0, sizeof(closing->events));
}

static void put_symbols(const struct finish *finish, struct strbuf *out)
{
	struct patience *patience = patience_create(PATIENCE_MS);
	const struct embed embed = {
		.hits = finish->hits,
		.kallsyms = finish->kallsyms,
		.patience = patience,
		.pins = finish->pins,
		.started = finish->head->clock_wall,
	};

	embed_symbols(&embed, out);
	patience_destroy(patience);
}

struct error *finish_file(const struct finish *finish)
{
	struct writer_section sections[] = {
		{ SECTION_SYMBOLS, BUNDLE_VERSION, { 0 } },
		{ SECTION_LOSSES, SECTION_VERSION, { 0 } },
		{ SECTION_META, SECTION_VERSION, { 0 } },
	};
	struct features closing = { 0 };
	struct error *err;
	size_t i;

	describe_closing(finish, &closing);
	describe_again(finish, &closing);
	put_symbols(finish, &sections[0].raw);
	put_losses(finish, &sections[1].raw);
	put_meta(finish, &sections[2].raw);
	err = writer_close(
		finish->writer, &closing, sections, ARRAY_SIZE(sections));
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		strbuf_free(&sections[i].raw);
	forget_again(&closing);
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

static void tell_lost(uint64_t kernel, uint64_t dropped)
{
	if (kernel)
		log_note("%" PRIu64 " samples were lost in the kernel; larger "
			 "rings (-m), a real-time priority (-r 1) or fewer "
			 "samples (-F, -c) help",
			kernel);
	if (dropped)
		log_note("%" PRIu64 " samples were dropped: disk and "
			 "compression fell behind; --queue-size or -z0 help",
			dropped);
}

void finish_tell(const struct finish *finish)
{
	const struct loss *losses = losses_get(finish->losses);
	uint64_t samples = 0, kernel = 0, dropped = 0;
	uint64_t raw = intake_raw_bytes(finish->intake);
	uint64_t size = writer_size(finish->writer);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < finish->n_events; i++) {
		samples += losses[i].samples;
		kernel += losses[i].kernel;
		dropped += losses[i].dropped;
	}
	put_bytes(&text, size);
	log_note("%" PRIu64 " samples, %" PRIu64 " lost, %s in %s (1:%.1f)",
		samples, kernel + dropped, text.at, finish->path,
		(double)raw / (double)MAX(size, UINT64_C(1)));
	tell_lost(kernel, dropped);
	if (finish->has_lost_sideband)
		log_note("records of mappings were lost in the kernel, and "
			 "/proc was read again; larger rings (-m) help");
}
