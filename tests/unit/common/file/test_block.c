/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/block.h"

#include <zstd.h>

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

#define LEVEL 1

/* Returns N bytes that compress well, and differently for each SEED. */
static uint8_t *make_raw(size_t n, unsigned seed)
{
	uint8_t *raw = xmalloc(n);
	size_t i;

	for (i = 0; i < n; i++)
		raw[i] = (uint8_t)(i / 7 * seed + i % 5);
	return raw;
}

/* Returns N bytes that do not compress (xorshift64, Marsaglia). */
static uint8_t *make_noise(size_t n)
{
	uint64_t x = 88172645463325252;
	uint8_t *raw = xmalloc(n);
	size_t i;

	for (i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		raw[i] = (uint8_t)(x >> 32);
	}
	return raw;
}

static struct block_info info_of(size_t raw_size)
{
	return (struct block_info){
		.kind = BLOCK_SAMPLES,
		.raw_size = (uint32_t)raw_size,
		.records = 11,
		.samples = 22,
		.sequence = 33,
		.first_time = UINT64_C(0x123456789a),
		.last_time = UINT64_C(0x123456789b),
	};
}

/* Encodes RAW into a record, owned by the caller. */
static uint8_t *encode(
	const uint8_t *raw, struct block_info *info, size_t *size_ret)
{
	struct block_encoder *encoder = block_encoder_create();
	_cleanup_free_ uint8_t *out = xmalloc(RECORD_SIZE_ALIGNED);
	size_t size = block_encode(encoder, LEVEL, info, raw, out);

	block_encoder_destroy(encoder);
	*size_ret = size;
	return size ? exact_copy(out, size) : NULL;
}

/*
 * Returns the decoded data, owned by the caller, or NULL if the record is
 * damaged.
 */
static uint8_t *decode(
	const uint8_t *data, size_t size, struct block_info *info)
{
	_cleanup_free_ uint8_t *decoded = NULL;
	struct record record;
	const uint8_t *frame;
	ZSTD_DCtx *dctx;
	bool ok;

	if (!record_at(data, size, false, &record) ||
		!block_describe(&record, info, &frame))
		return NULL;
	decoded = xmalloc(info->raw_size);
	dctx = ZSTD_createDCtx();
	ok = block_decode(dctx, info, frame, decoded);
	ZSTD_freeDCtx(dctx);
	return ok ? take_pointer(decoded) : NULL;
}

static void assert_decodes(const uint8_t *data, size_t size, const uint8_t *raw,
	struct block_info *info)
{
	_cleanup_free_ uint8_t *decoded = decode(data, size, info);

	assert_non_null(decoded);
	assert_memory_equal(decoded, raw, info->raw_size);
}

static void a_block_is_read_as_it_was_written(void **state _unused_)
{
	_cleanup_free_ uint8_t *raw = make_raw(5000, 3);
	struct block_info info = info_of(5000), found;
	_cleanup_free_ uint8_t *record = NULL;
	size_t size;

	record = encode(raw, &info, &size);
	assert_non_null(record);
	GARBAGE(found);
	assert_decodes(record, size, raw, &found);
	assert_int_equal(found.kind, BLOCK_SAMPLES);
	assert_int_equal(found.raw_size, 5000);
	assert_int_equal(found.frame_size, info.frame_size);
	assert_int_equal(found.records, 11);
	assert_int_equal(found.samples, 22);
	assert_int_equal(found.sequence, 33);
	assert_int_equal(found.first_time, 0x123456789a);
	assert_int_equal(found.last_time, 0x123456789b);
}

/*
 * perf requires one skippable frame, then one frame, and nothing behind. All
 * amounts of padding occur.
 */
static void a_skippable_frame_aligns_the_record_to_8_bytes(
	void **state _unused_)
{
	unsigned seen = 0, seed;

	for (seed = 1; seed < 60; seed++) {
		_cleanup_free_ uint8_t *raw = make_raw(200 + seed, seed);
		struct block_info info = info_of(200 + seed), found;
		_cleanup_free_ uint8_t *record = NULL;
		uint32_t magic, skipped;
		size_t size, frame_at;

		record = encode(raw, &info, &size);
		assert_int_equal(size % 8, 0);
		memcpy(&magic, record + 8, 4);
		memcpy(&skipped, record + 12, 4);
		assert_int_equal(magic & 0xfffffff0, 0x184d2a50);
		frame_at = 16 + skipped;
		assert_in_range(skipped, BLOCK_INFO_SIZE, BLOCK_INFO_SIZE + 7);
		assert_int_equal(ZSTD_findFrameCompressedSize(
					 record + frame_at, size - frame_at),
			size - frame_at);
		assert_decodes(record, size, raw, &found);
		seen |= 1u << (skipped - BLOCK_INFO_SIZE);
	}
	assert_int_equal(seen, 0xff);
}

static void plain_zstd_decompresses_the_record_of_a_block(void **state _unused_)
{
	_cleanup_free_ uint8_t *raw = make_raw(70000, 5), *record = NULL;
	_cleanup_free_ uint8_t *decoded = xmalloc(70000);
	struct block_info info = info_of(70000);
	size_t size;

	record = encode(raw, &info, &size);
	assert_int_equal(
		ZSTD_decompress(decoded, 70000, record + 8, size - 8), 70000);
	assert_memory_equal(decoded, raw, 70000);
}

static void a_block_of_maximum_size_fits_into_a_record_if_it_compresses(
	void **state _unused_)
{
	_cleanup_free_ uint8_t *raw = make_raw(BLOCK_RAW_MAX, 7);
	struct block_info info = info_of(BLOCK_RAW_MAX), found;
	_cleanup_free_ uint8_t *record = NULL;
	size_t size;

	record = encode(raw, &info, &size);
	assert_non_null(record);
	assert_decodes(record, size, raw, &found);
}

static void block_raw_safe_bytes_fit_even_if_they_do_not_compress(
	void **state _unused_)
{
	_cleanup_free_ uint8_t *raw = make_noise(BLOCK_RAW_SAFE);
	struct block_info info = info_of(BLOCK_RAW_SAFE), found;
	_cleanup_free_ uint8_t *record = NULL;
	size_t size;

	record = encode(raw, &info, &size);
	assert_non_null(record);
	assert_decodes(record, size, raw, &found);
}

static void a_block_that_does_not_fit_into_a_record_is_refused(
	void **state _unused_)
{
	_cleanup_free_ uint8_t *raw = make_noise(BLOCK_RAW_MAX);
	struct block_info info = info_of(BLOCK_RAW_MAX);
	_cleanup_free_ uint8_t *record = NULL;
	size_t size = 7;

	record = encode(raw, &info, &size);
	assert_int_equal(size, 0);
	/* The same encoder encodes less data afterwards. */
	info = info_of(1000);
	record = encode(raw, &info, &size);
	assert_non_null(record);
}

/* Around the limit of one record, every written size must be readable. */
static void blocks_near_the_maximum_size_are_readable_or_refused(
	void **state _unused_)
{
	_cleanup_free_ uint8_t *raw = make_noise(65600);
	size_t n, fitting = 0;

	for (n = 65440; n < 65480; n++) {
		struct block_info info = info_of(n), found;
		_cleanup_free_ uint8_t *record = NULL;
		size_t size;

		record = encode(raw, &info, &size);
		if (!record)
			continue;
		fitting++;
		assert_in_range(size, 65000, RECORD_SIZE_ALIGNED);
		assert_decodes(record, size, raw, &found);
	}
	assert_in_range(fitting, 1, 39);
}

static void damaged_block_records_are_refused_without_a_crash(
	void **state _unused_)
{
	_cleanup_free_ uint8_t *raw = make_raw(600, 3), *record = NULL;
	struct block_info info = info_of(600), found;
	size_t size, i, noticed = 0;

	record = encode(raw, &info, &size);
	for (i = 0; i < 8 * size; i++) {
		_cleanup_free_ uint8_t *decoded = NULL;

		record[i / 8] ^= (uint8_t)(1u << i % 8);
		decoded = decode(record, size, &found);
		record[i / 8] ^= (uint8_t)(1u << i % 8);
		/*
		 * Some bits have no meaning, but the data must stay the same.
		 */
		if (decoded)
			assert_memory_equal(decoded, raw, 600);
		noticed += !decoded;
	}
	/* All bits of the frame but one, and of its size. */
	assert_true(noticed >= 8 * info.frame_size);
	assert_decodes(record, size, raw, &found);
}

static void a_block_record_truncated_at_any_length_is_refused(
	void **state _unused_)
{
	_cleanup_free_ uint8_t *raw = make_raw(600, 3), *record = NULL;
	struct block_info info = info_of(600), found;
	uint16_t size;
	size_t whole;

	record = encode(raw, &info, &whole);
	for (size = RECORD_HEADER_SIZE; size < whole; size++) {
		uint8_t *copy = exact_copy(record, size);

		memcpy(copy + 6, &size, sizeof(size));
		assert_null(decode(copy, size, &found));
		free(copy);
	}
}

static void compressed_records_of_perf_are_not_read_as_blocks(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	_cleanup_free_ uint8_t *frame = xmalloc(1000);
	size_t size = ZSTD_compress(frame, 1000, "some text", 9, 1);
	struct block_info info;
	struct record record;
	const uint8_t *at;

	record_write(&out, RECORD_COMPRESSED, 0, frame, size);
	strbuf_align(&out, 8);
	assert_true(record_at((uint8_t *)out.at, out.n, false, &record));
	assert_false(block_describe(&record, &info, &at));
}

static void block_infos_of_a_wrong_version_kind_or_size_are_refused(
	void **state _unused_)
{
	struct block_info good = info_of(100), found;
	uint8_t bytes[BLOCK_INFO_SIZE];
	struct bytes b;

	good.frame_size = 50;
	block_info_write(&good, bytes);
	b = bytes_of(bytes, sizeof(bytes), false);
	assert_true(block_info_read(&b, &found));
	bytes[0] = 2; /* version */
	b = bytes_of(bytes, sizeof(bytes), false);
	assert_false(block_info_read(&b, &found));
	bytes[0] = 1;
	bytes[1] = 0; /* kind */
	b = bytes_of(bytes, sizeof(bytes), false);
	assert_false(block_info_read(&b, &found));
	bytes[1] = 4;
	b = bytes_of(bytes, sizeof(bytes), false);
	assert_false(block_info_read(&b, &found));
	good.raw_size = 0;
	block_info_write(&good, bytes);
	b = bytes_of(bytes, sizeof(bytes), false);
	assert_false(block_info_read(&b, &found));
	good.raw_size = BLOCK_RAW_MAX + 1;
	block_info_write(&good, bytes);
	b = bytes_of(bytes, sizeof(bytes), false);
	assert_false(block_info_read(&b, &found));
	b = bytes_of(bytes, sizeof(bytes) - 1, false);
	assert_false(block_info_read(&b, &found));
}

static void block_mmap_len_suffices_for_every_block(void **state _unused_)
{
	assert_int_equal(BLOCK_MMAP_LEN % 4096, 0);
	assert_true(BLOCK_MMAP_LEN >= BLOCK_RAW_MAX + RECORD_SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_is_read_as_it_was_written),
		cmocka_unit_test(
			a_skippable_frame_aligns_the_record_to_8_bytes),
		cmocka_unit_test(plain_zstd_decompresses_the_record_of_a_block),
		cmocka_unit_test(
			a_block_of_maximum_size_fits_into_a_record_if_it_compresses),
		cmocka_unit_test(
			block_raw_safe_bytes_fit_even_if_they_do_not_compress),
		cmocka_unit_test(
			a_block_that_does_not_fit_into_a_record_is_refused),
		cmocka_unit_test(
			blocks_near_the_maximum_size_are_readable_or_refused),
		cmocka_unit_test(
			damaged_block_records_are_refused_without_a_crash),
		cmocka_unit_test(
			a_block_record_truncated_at_any_length_is_refused),
		cmocka_unit_test(
			compressed_records_of_perf_are_not_read_as_blocks),
		cmocka_unit_test(
			block_infos_of_a_wrong_version_kind_or_size_are_refused),
		cmocka_unit_test(block_mmap_len_suffices_for_every_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
