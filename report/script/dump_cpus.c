/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/dump_cpus.h"

/* PERF_CPU_MAP__*; 0 and what isn't known are read as a list. */
#define MAP_MASK 1
#define MAP_RANGE 2

static void put_cpu_bits(struct bytes *b, struct strbuf *out)
{
	uint16_t words = bytes_u16(b), size = bytes_u16(b), i;
	unsigned bit, bits = size == 8 ? 64 : 32;
	const char *separator = " ";

	if (size == 8)
		bytes_u32(b); /* padding */
	for (i = 0; i < words && b->ok; i++) {
		uint64_t word = size == 8 ? bytes_u64(b) : bytes_u32(b);

		for (bit = 0; bit < bits; bit++) {
			if (!(word >> bit & 1))
				continue;
			strbuf_printf(out, "%s%u", separator, i * bits + bit);
			separator = ",";
		}
	}
}

void dump_cpus(struct bytes *b, struct strbuf *out)
{
	uint16_t kind = bytes_u16(b), n, i;
	const char *separator = " ";

	strbuf_putc(out, ':');
	if (kind == MAP_MASK) {
		put_cpu_bits(b, out);
		return;
	}
	if (kind == MAP_RANGE) {
		bytes_u16(b); /* any CPU, padding */
		n = bytes_u16(b);
		strbuf_printf(out, " %u-%u", n, bytes_u16(b));
		return;
	}
	n = bytes_u16(b);
	for (i = 0; i < n && bytes_left(b) >= 2; i++) {
		strbuf_printf(out, "%s%d", separator, (int16_t)bytes_u16(b));
		separator = ",";
	}
}
