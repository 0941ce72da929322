/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <pthread.h>

#include "common/file/damages.h"
#include "tests/unit/testing.h"

static void damaged_places_are_sorted_and_counted_once(void **state _unused_)
{
	struct damages *damages = damages_create();
	struct damage_place place;
	struct damages_sums sums;

	damages_add(damages,
		&(struct damage_place){ .offset = 200, .what = "second" });
	damages_add(damages,
		&(struct damage_place){ .offset = 100,
			.what = "first",
			.samples = 3,
			.first_time = 10,
			.last_time = 20 });
	/* The next pass knows more about the same place. */
	damages_add(damages,
		&(struct damage_place){ .offset = 200,
			.what = "other words",
			.samples = 4,
			.first_time = 5,
			.last_time = 15 });
	damages_add(damages,
		&(struct damage_place){ .offset = 200, .what = "less" });
	assert_true(damages_at(damages, 0, &place));
	assert_string_equal(place.what, "first");
	assert_true(damages_at(damages, 1, &place));
	assert_string_equal(place.what, "second");
	assert_int_equal(place.samples, 4);
	assert_int_equal(place.last_time, 15);
	assert_false(damages_at(damages, 2, &place));
	assert_true(damages_first(damages, &place));
	assert_string_equal(place.what, "second");
	assert_true(damages_has(damages, 100));
	assert_false(damages_has(damages, 101));
	sums = damages_sums(damages);
	assert_int_equal(sums.places, 2);
	assert_int_equal(sums.samples, 7);
	assert_int_equal(sums.first_time, 5);
	assert_int_equal(sums.last_time, 20);
	damages_destroy(damages);
}

static void a_damaged_place_that_is_added_again_is_not_taken_again(
	void **state _unused_)
{
	struct damages *damages = damages_create();
	struct damage_place place;

	assert_int_equal(damages_take(damages, &place), 0);
	damages_add(
		damages, &(struct damage_place){ .offset = 2, .what = "two" });
	assert_int_equal(damages_take(damages, &place), 1);
	assert_string_equal(place.what, "two");
	damages_add(
		damages, &(struct damage_place){ .offset = 2, .what = "two" });
	assert_int_equal(damages_take(damages, &place), 0);
	damages_add(
		damages, &(struct damage_place){ .offset = 1, .what = "one" });
	assert_int_equal(damages_take(damages, &place), 2);
	assert_string_equal(place.what, "one");
	damages_destroy(damages);
}

static void a_truncated_end_is_not_counted_as_damage(void **state _unused_)
{
	struct damages *damages = damages_create();

	damages_add(damages,
		&(struct damage_place){
			.offset = 9, .what = "cut off", .is_end = true });
	assert_int_equal(damages_sums(damages).places, 0);
	damages_destroy(damages);
}

#define THREADS 4u

static void *add_places(void *data)
{
	uint64_t i;

	for (i = 0; i < 2 * DAMAGES_MAX; i++)
		damages_add(data,
			&(struct damage_place){ .offset = i % DAMAGES_MAX,
				.what = "a place",
				.samples = 1 });
	return NULL;
}

static void damaged_places_that_several_threads_add_are_counted_once(
	void **state _unused_)
{
	struct damages *damages = damages_create();
	pthread_t threads[THREADS];
	size_t i;

	for (i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, add_places, damages),
			0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(damages_sums(damages).places, DAMAGES_MAX);
	assert_int_equal(damages_sums(damages).samples, DAMAGES_MAX);
	damages_destroy(damages);
}

static void damaged_places_beyond_the_limit_are_still_counted(
	void **state _unused_)
{
	struct damages *damages = damages_create();
	uint64_t i;

	for (i = 0; i < DAMAGES_MAX + 5; i++)
		damages_add(damages,
			&(struct damage_place){
				.offset = i, .what = "a place" });
	assert_int_equal(damages_sums(damages).places, DAMAGES_MAX + 5);
	damages_destroy(damages);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_places_are_sorted_and_counted_once),
		cmocka_unit_test(
			a_damaged_place_that_is_added_again_is_not_taken_again),
		cmocka_unit_test(a_truncated_end_is_not_counted_as_damage),
		cmocka_unit_test(
			damaged_places_that_several_threads_add_are_counted_once),
		cmocka_unit_test(
			damaged_places_beyond_the_limit_are_still_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
