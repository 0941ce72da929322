/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of record payloads. The input is the fields of an attr, which
 * selects the layout, and then records. Their types and sizes are made valid,
 * so that the mutations reach the payloads.
 *
 *	u8	bit 0: the other byte order; bit 1: two events
 *	u64	sample_type; u8 read_format; u32 branch_sample_type;
 *		u8 bits 16 to 23 of the flags
 *	{ u8 type; u16 misc; u8 size, in words of 8 bytes; payload }...
 */
#include "config.h"

#include "common/perf/record.h"
#include "tests/fuzz/everything.h"

#define INPUT_MAX KIB(64)
#define ATTR_SIZE 112u
#define SAMPLE_ID_ALL 18

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct to {
	struct strbuf file;
	bool swap;
};

static void put_u16(struct to *to, uint16_t value)
{
	strbuf_put_u16(&to->file, to->swap ? bswap_16(value) : value);
}

static void put_u32(struct to *to, uint32_t value)
{
	strbuf_put_u32(&to->file, to->swap ? bswap_32(value) : value);
}

static void put_u64(struct to *to, uint64_t value)
{
	strbuf_put_u64(&to->file, to->swap ? bswap_64(value) : value);
}

static void put_header(struct to *to, uint32_t type, uint16_t misc, size_t size)
{
	put_u32(to, type);
	put_u16(to, misc);
	put_u16(to, (uint16_t)(RECORD_HEADER_SIZE + size));
}

static void put_attr(struct to *to, struct bytes b, uint64_t id)
{
	size_t start = to->file.n;
	uint64_t type = bytes_u64(&b);

	put_header(to, RECORD_HEADER_ATTR, 0, ATTR_SIZE + 8);
	put_u32(to, PERF_TYPE_SOFTWARE);
	put_u32(to, ATTR_SIZE);
	put_u64(to, PERF_COUNT_SW_CPU_CLOCK);
	put_u64(to, 1);
	put_u64(to, type);
	put_u64(to, bytes_u8(&b));
	strbuf_fill(&to->file, 0, 32);
	put_u64(to, bytes_u32(&b));
	put_u64(to, 0x0f);
	put_u64(to, 0);
	put_u64(to, 0x33);
	strbuf_fill(&to->file, 0,
		start + RECORD_HEADER_SIZE + ATTR_SIZE - to->file.n);
	/*
	 * Bits 16 to 23 of the flags, in reverse order on big-endian machines.
	 */
	to->file.at[start + RECORD_HEADER_SIZE + 42] = (char)bytes_u8(&b);
	put_u64(to, id);
}

static void put_records(struct to *to, struct bytes b)
{
	while (bytes_left(&b) >= 4) {
		uint32_t type = bytes_u8(&b) % (RECORD_END + 1);
		uint16_t misc = bytes_u16(&b);
		size_t size = MIN((size_t)bytes_u8(&b) * 8, bytes_left(&b));

		put_header(to, type, misc, size);
		strbuf_put(&to->file, bytes_take(&b, size), size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	uint8_t choice = bytes_u8(&b);
	struct to to = { .swap = choice & 1 };
	struct bytes fields = b;

	bytes_take(&b, 14);
	if (!b.ok || size > INPUT_MAX)
		return 0;
	put_u64(&to, ABI_FILE_MAGIC);
	put_u64(&to, 16);
	put_attr(&to, fields, 1);
	if (choice & 2)
		put_attr(&to, fields, 2);
	put_records(&to, b);
	everything_of((const uint8_t *)to.file.at, to.file.n);
	strbuf_free(&to.file);
	return 0;
}
