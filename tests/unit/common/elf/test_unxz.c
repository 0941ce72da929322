/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/unxz.h"

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

#ifdef HAVE_LZMA

#include <lzma.h>

/* Returns SIZE equal bytes, compressed. Owned by the caller. */
static uint8_t *pack(size_t size, size_t *packed_size_ret)
{
	_cleanup_free_ uint8_t *plain = xcalloc(1, size);
	size_t room = lzma_stream_buffer_bound(size);
	uint8_t *packed = xmalloc(room);

	memset(plain, 'x', size);
	*packed_size_ret = 0;
	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL,
				 plain, size, packed, packed_size_ret, room),
		LZMA_OK);
	return packed;
}

/* Returns the decompressed size, or -1 if the data were rejected. */
static off_t unpacked_size(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = exact_copy(bytes, size);
	_cleanup_close_ int fd = unxz_to_memory(copy, size);

	free(copy);
	return fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
}

static void xz_data_is_decompressed_into_a_memory_file(void **state _unused_)
{
	size_t size;
	_cleanup_free_ uint8_t *packed = pack(100000, &size);
	_cleanup_close_ int fd = unxz_to_memory(packed, size);
	char end[4] = "";

	assert_true(fd >= 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 100000);
	assert_int_equal(pread(fd, end, sizeof(end), 99998), 2);
	assert_string_equal(end, "xx");
}

static void truncated_or_damaged_xz_data_is_rejected(void **state _unused_)
{
	size_t size, i;
	_cleanup_free_ uint8_t *packed = pack(1000, &size);

	for (i = 0; i < size; i++)
		assert_int_equal(unpacked_size(packed, i), -1);
	packed[size / 2] ^= 1;
	assert_int_equal(unpacked_size(packed, size), -1);
}

static void xz_data_that_decompresses_beyond_the_limit_is_rejected(
	void **state _unused_)
{
	size_t size;
	_cleanup_free_ uint8_t *small = pack(UNXZ_SIZE_MAX, &size);
	_cleanup_free_ uint8_t *large = NULL;

	assert_int_equal(unpacked_size(small, size), (off_t)UNXZ_SIZE_MAX);
	large = pack(UNXZ_SIZE_MAX + 1, &size);
	assert_true(size < MIB(1));
	assert_int_equal(unpacked_size(large, size), -1);
}

/* The dictionary needs 256 MiB. */
static void xz_data_with_a_dictionary_of_256_mib_is_rejected(
	void **state _unused_)
{
	lzma_options_lzma options;
	lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options },
		{ LZMA_VLI_UNKNOWN, NULL } };
	uint8_t packed[1024];
	size_t size = 0;

	assert_false(lzma_lzma_preset(&options, 0));
	options.dict_size = MIB(256);
	assert_int_equal(
		lzma_stream_buffer_encode(filters, LZMA_CHECK_NONE, NULL,
			packed, 100, packed, &size, sizeof(packed)),
		LZMA_OK);
	assert_int_equal(unpacked_size(packed, size), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xz_data_is_decompressed_into_a_memory_file),
		cmocka_unit_test(truncated_or_damaged_xz_data_is_rejected),
		cmocka_unit_test(
			xz_data_that_decompresses_beyond_the_limit_is_rejected),
		cmocka_unit_test(
			xz_data_with_a_dictionary_of_256_mib_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	print_message("1..0 # SKIP needs liblzma\n");
	return 77;
}

#endif
