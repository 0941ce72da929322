/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/hash.h"
#include "tests/unit/testing.h"

#define MANY 20000u

/* Counts the positions of HASH and sums their squares. */
static void count_positions(const struct hash_index *index, uint64_t hash,
	size_t *n_ret, uint64_t *squares_ret)
{
	*n_ret = 0;
	*squares_ret = 0;
	hash_each_match(index, hash, i) {
		++*n_ret;
		*squares_ret += (uint64_t)i * i;
	}
}

static void an_empty_index_finds_nothing(void **state _unused_)
{
	struct hash_index index = { 0 };
	size_t n;
	uint64_t squares;

	count_positions(&index, 7, &n, &squares);
	assert_int_equal(n, 0);
	hash_free(&index);
}

static void equal_bytes_have_equal_hashes(void **state _unused_)
{
	char text[] = "a text of nineteen.";
	size_t size;

	for (size = 0; size < sizeof(text); size++) {
		uint8_t *copy = exact_copy(text, size);

		assert_true(hash_bytes(copy, size) == hash_bytes(text, size));
		free(copy);
	}
	assert_true(hash_string("x") == hash_bytes("x", 1));
}

static void each_byte_and_the_length_change_the_hash(void **state _unused_)
{
	uint8_t bytes[32] = { 0 };
	uint64_t zeros = hash_bytes(bytes, sizeof(bytes));
	size_t i;

	for (i = 0; i < sizeof(bytes); i++) {
		bytes[i] = 1;
		assert_true(hash_bytes(bytes, sizeof(bytes)) != zeros);
		bytes[i] = 0;
		assert_true(hash_bytes(bytes, i) != zeros);
	}
}

static void the_order_of_two_words_changes_the_hash(void **state _unused_)
{
	assert_true(hash_words(1, 2) != hash_words(2, 1));
	assert_true(hash_words(0, 1) != hash_words(0, 2));
	assert_true(hash_words(1, 0) != hash_words(2, 0));
}

/* Call chains can differ only in the order of two addresses. */
static void swapping_any_two_words_of_a_chain_changes_its_hash(
	void **state _unused_)
{
	enum { WORDS = 21 };
	uint64_t words[WORDS];
	size_t i, j;

	for (i = 0; i < WORDS; i++)
		words[i] = 0x400000 + i;
	for (i = 0; i < WORDS; i++)
		for (j = i + 1; j < WORDS; j++) {
			uint64_t before = hash_bytes(words, sizeof(words));
			uint64_t other = words[i];

			words[i] = words[j];
			words[j] = other;
			assert_true(hash_bytes(words, sizeof(words)) != before);
		}
}

static void positions_inserted_into_an_index_are_found(void **state _unused_)
{
	struct hash_index index = { 0 };
	uint64_t squares;
	uint32_t i;
	size_t n;

	for (i = 0; i < MANY; i++)
		hash_insert(&index, hash_words(i, 0), i);
	for (i = 0; i < MANY; i++) {
		count_positions(&index, hash_words(i, 0), &n, &squares);
		/* Other hashes can have the same lower 32 bits. */
		assert_in_range(n, 1, 3);
		if (n == 1)
			assert_true(squares == (uint64_t)i * i);
	}
	hash_free(&index);
	assert_null(index.slots);
}

static void hashes_that_were_not_inserted_are_not_found(void **state _unused_)
{
	struct hash_index index = { 0 };
	size_t n, found = 0;
	uint64_t squares;
	uint32_t i;

	for (i = 0; i < 1000; i++)
		hash_insert(&index, hash_words(i, 0), i);
	for (i = 1000; i < 2000; i++) {
		count_positions(&index, hash_words(i, 0), &n, &squares);
		found += n;
	}
	assert_in_range(found, 0, 1);
	hash_free(&index);
}

static void all_positions_of_a_hash_are_found(void **state _unused_)
{
	struct hash_index index = { 0 };
	uint64_t squares;
	uint32_t i;
	size_t n;

	for (i = 0; i < 100; i++)
		hash_insert(&index, i % 2 ? 4711 : 5, i);
	count_positions(&index, 4711, &n, &squares);
	assert_int_equal(n, 50);
	assert_int_equal(squares, 166650); /* 1 + 9 + 25 + ... + 9801 */
	hash_free(&index);
}

static void a_quarter_of_the_index_slots_stays_empty(void **state _unused_)
{
	struct hash_index index = { 0 };
	uint32_t i;

	for (i = 0; i < 5000; i++) {
		hash_insert(&index, i, i);
		assert_true(index.used == i + 1);
		assert_true(index.used <= (index.mask + 1) / 4 * 3);
	}
	hash_free(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_index_finds_nothing),
		cmocka_unit_test(equal_bytes_have_equal_hashes),
		cmocka_unit_test(each_byte_and_the_length_change_the_hash),
		cmocka_unit_test(the_order_of_two_words_changes_the_hash),
		cmocka_unit_test(
			swapping_any_two_words_of_a_chain_changes_its_hash),
		cmocka_unit_test(positions_inserted_into_an_index_are_found),
		cmocka_unit_test(hashes_that_were_not_inserted_are_not_found),
		cmocka_unit_test(all_positions_of_a_hash_are_found),
		cmocka_unit_test(a_quarter_of_the_index_slots_stays_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
