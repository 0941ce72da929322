/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feature sections about the command and the machine: the command line, CPUs,
 * memory, the times of the first and last sample, and the clock. Also reads and
 * writes the texts in feature sections.
 */
#include "config.h"

#include <inttypes.h>
#include <time.h>

#include "common/file/feature.h"
#include "common/file/feature_private.h"
#include "common/perf/machine.h"

#define CMDLINE_MAX 65536u

char *feature_take_text(struct bytes *b)
{
	uint32_t size = bytes_u32(b);
	const char *text = bytes_take(b, size);

	return text ? xstrndup(text, size) : NULL;
}

void feature_put_text(struct strbuf *out, const char *text)
{
	size_t length = strlen(text ? text : "");
	size_t room = ALIGN_UP(length + 1, FEATURE_TEXT_ALIGN);

	strbuf_put_u32(out, (uint32_t)room);
	strbuf_put(out, text ? text : "", length);
	strbuf_fill(out, 0, room - length);
}

bool feature_read_cmdline(struct features *f, struct bytes *b)
{
	uint32_t n = bytes_u32(b), i;

	if (n > CMDLINE_MAX)
		return false;
	for (i = 0; i < n && b->ok; i++) {
		char *word = feature_take_text(b);

		if (word)
			*array_push(&f->cmdline) = word;
	}
	return b->ok;
}

void feature_write_cmdline(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, (uint32_t)f->cmdline.n);
	array_each(&f->cmdline, word)
		feature_put_text(out, *word);
}

void feature_print_cmdline(const struct features *f, struct strbuf *out)
{
	strbuf_puts(out, "# cmdline :");
	array_each(&f->cmdline, word)
		strbuf_printf(out, " %s", *word);
	strbuf_putc(out, '\n');
}

bool feature_read_nrcpus(struct features *f, struct bytes *b)
{
	f->cpus_available = bytes_u32(b);
	f->cpus_online = bytes_u32(b);
	return b->ok;
}

void feature_write_nrcpus(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, f->cpus_available);
	strbuf_put_u32(out, f->cpus_online);
}

void feature_print_nrcpus(const struct features *f, struct strbuf *out)
{
	strbuf_printf(out, "# nrcpus online : %u\n# nrcpus avail : %u\n",
		f->cpus_online, f->cpus_available);
}

bool feature_read_total_mem(struct features *f, struct bytes *b)
{
	f->total_memory = bytes_u64(b);
	return b->ok;
}

void feature_write_total_mem(const struct features *f, struct strbuf *out)
{
	strbuf_put_u64(out, f->total_memory);
}

void feature_print_total_mem(const struct features *f, struct strbuf *out)
{
	strbuf_printf(
		out, "# total memory : %" PRIu64 " kB\n", f->total_memory);
}

void feature_keep(struct feature_bytes *into, struct bytes *b)
{
	size_t size = bytes_left(b);

	free(into->at);
	into->at = xmemdup(bytes_take(b, size), size);
	into->n = size;
	into->swap = b->swap;
}

struct bytes feature_kept(const struct feature_bytes *kept)
{
	return bytes_of(kept->at, kept->n, kept->swap);
}

/*
 * The section CPU_TOPOLOGY is kept as bytes for printing. It is also parsed
 * into f->topology, because reports need the core and socket of each CPU.
 * CPU_TOPOLOGY comes after NRCPUS.
 */
bool feature_read_cpus(struct features *f, struct bytes *b)
{
	struct bytes whole = *b;

	feature_keep(&f->cpus, &whole);
	return machine_read_cpus(&f->topology, b, f->cpus_available);
}

bool feature_read_numa(struct features *f, struct bytes *b)
{
	struct bytes whole = *b;

	feature_keep(&f->numa, &whole);
	return machine_read_nodes(&f->topology, b);
}

void feature_print_cpus(const struct features *f, struct strbuf *out)
{
	machine_print_cpus(feature_kept(&f->cpus), f->cpus_available, out);
}

bool feature_read_sample_time(struct features *f, struct bytes *b)
{
	f->first_time = bytes_u64(b);
	f->last_time = bytes_u64(b);
	return b->ok;
}

void feature_write_sample_time(const struct features *f, struct strbuf *out)
{
	strbuf_put_u64(out, f->first_time);
	strbuf_put_u64(out, f->last_time);
}

void feature_print_sample_time(const struct features *f, struct strbuf *out)
{
	uint64_t first = f->first_time / 1000, last = f->last_time / 1000;

	strbuf_printf(out,
		"# time of first sample : %" PRIu64 ".%06" PRIu64 "\n",
		first / 1000000, first % 1000000);
	strbuf_printf(out,
		"# time of last sample : %" PRIu64 ".%06" PRIu64 "\n",
		last / 1000000, last % 1000000);
	strbuf_printf(out, "# sample duration : %10.3f ms\n",
		(double)(f->last_time - f->first_time) / 1e6);
}

bool feature_read_clockid(struct features *f, struct bytes *b)
{
	f->clock_resolution = bytes_u64(b);
	return b->ok;
}

void feature_write_clockid(const struct features *f, struct strbuf *out)
{
	strbuf_put_u64(out, f->clock_resolution);
}

bool feature_read_clock_data(struct features *f, struct bytes *b)
{
	if (bytes_u32(b) != 1)
		return false;
	f->clockid = (int32_t)bytes_u32(b);
	f->clock_wall = bytes_u64(b);
	f->clock_time = bytes_u64(b);
	return b->ok;
}

void feature_write_clock_data(const struct features *f, struct strbuf *out)
{
	strbuf_put_u32(out, 1);
	strbuf_put_u32(out, (uint32_t)f->clockid);
	strbuf_put_u64(out, f->clock_wall);
	strbuf_put_u64(out, f->clock_time);
}

void feature_print_clock_data(const struct features *f, struct strbuf *out)
{
	time_t seconds = (time_t)(f->clock_wall / NSEC_PER_SEC);
	char text[64];
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) ||
		!strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	strbuf_printf(out, "# captured on : %s UTC\n", text);
}

void feature_print_clockid(const struct features *f, struct strbuf *out)
{
	static const char *const names[] = { "CLOCK_REALTIME",
		"CLOCK_MONOTONIC", NULL, NULL, "CLOCK_MONOTONIC_RAW", NULL,
		NULL, "CLOCK_BOOTTIME", NULL, NULL, NULL, "CLOCK_TAI" };
	size_t id = (size_t)f->clockid;

	strbuf_printf(out, "# clockid frequency: %" PRIu64 " MHz\n",
		f->clock_resolution ? 1000 / f->clock_resolution : 0);
	if (feature_is_present(f, FEATURE_CLOCK_DATA))
		strbuf_printf(out, "# clockid: %s (%d)\n",
			id < ARRAY_SIZE(names) && names[id] ? names[id]
							    : "unknown",
			f->clockid);
}
