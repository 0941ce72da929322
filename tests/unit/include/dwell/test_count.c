/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <unistd.h>

/* A made processor, in the place of the instructions that read counters. */
#define DWELL_COUNT_PROCESSOR
static struct processor {
	uint64_t pmc, clock;
	uint32_t index;		 /* of the last read */
	void (*interrupt)(void); /* runs once, while the counter is read */
} processor;

static uint64_t dwell_count_pmc(uint32_t index)
{
	void (*interrupt)(void) = processor.interrupt;

	processor.index = index;
	processor.interrupt = NULL;
	if (interrupt)
		interrupt();
	return processor.pmc;
}

static uint64_t dwell_count_clock(void)
{
	return processor.clock;
}

#include "include/dwell/count.h"

/* A page that the kernel could have made. Tests change it. */
static struct dwell_count_page page;

static int make_page(void **state)
{
	(void)state;
	processor = (struct processor){ .pmc = 5, .clock = 1000 };
	page = (struct dwell_count_page){
		.lock = 2,
		.index = 3,
		.offset = 100,
		.time_enabled = 4000,
		.time_running = 1000,
		.capabilities = DWELL_COUNT_USER_RDPMC | DWELL_COUNT_USER_TIME,
		.pmc_width = 48,
		.time_shift = 1,
		.time_mult = 3,
		.time_offset = (uint64_t)-1200,
	};
	return 0;
}

/* Reads the count of PAGE, without a system call. */
static struct dwell_count read_made_page(void)
{
	struct dwell_counter counter = { .fd = -1, .page = &page };
	struct dwell_count count;

	GARBAGE(count);
	assert_int_equal(dwell_count_read(&counter, &count), 0);
	return count;
}

#define SAME_PLACE(member)                                          \
	assert_int_equal(offsetof(struct dwell_count_page, member), \
		offsetof(struct perf_event_mmap_page, member))

/* Headers of Linux 3.12 have these members. */
static void dwell_count_page_has_the_layout_of_the_kernels_page(void **state)
{
	(void)state;
	SAME_PLACE(lock);
	SAME_PLACE(index);
	SAME_PLACE(offset);
	SAME_PLACE(time_enabled);
	SAME_PLACE(time_running);
	SAME_PLACE(capabilities);
	SAME_PLACE(pmc_width);
	SAME_PLACE(time_shift);
	SAME_PLACE(time_mult);
	SAME_PLACE(time_offset);
	SAME_PLACE(time_zero);
	SAME_PLACE(size);
	assert_int_equal(offsetof(struct dwell_count_page, time_cycles),
		offsetof(struct perf_event_mmap_page, size) + 8);
}

static void a_count_is_the_counter_plus_the_offset_of_the_page(void **state)
{
	struct dwell_count count = read_made_page();

	(void)state;
	assert_int_equal(count.value, 105);
	assert_int_equal(processor.index, 2);
	/* 1000 * 3 / 2 - 1200 ns since the last update. */
	assert_int_equal(count.enabled_ns, 4300);
	assert_int_equal(count.running_ns, 1300);
}

/* Counters of 40 and 48 bits count from a negative number; 64 bits wrap. */
static void counters_of_any_bit_width_are_sign_extended(void **state)
{
	static const uint16_t widths[] = { 1, 32, 40, 48, 64 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		uint64_t sign = UINT64_C(1) << (widths[i] - 1);

		page.pmc_width = widths[i];
		page.offset = UINT64_C(1) << 63;
		processor.pmc = sign;
		assert_true(read_made_page().value == page.offset - sign);
		processor.pmc = sign - 1;
		assert_true(read_made_page().value == page.offset + sign - 1);
		/* Bits above the width are not part of the number. */
		processor.pmc = UINT64_MAX;
		assert_true(read_made_page().value == page.offset - 1);
	}
}

static void times_of_large_clock_values_do_not_overflow(void **state)
{
	(void)state;
	processor.clock = UINT64_MAX;
	page.time_shift = 31;
	page.time_mult = UINT32_MAX;
	page.time_offset = 0;
	/* (2^64 - 1) * (2^32 - 1) / 2^31, without the bits above 64. */
	assert_true(read_made_page().enabled_ns - 4000 ==
		UINT64_C(0xfffffffdfffffffe));
	page.time_shift = 32;
	assert_true(read_made_page().enabled_ns - 4000 ==
		UINT64_C(0xfffffffeffffffff));
}

/* The clock of 56 bits has wrapped since the kernel read TIME_CYCLES. */
static void a_clock_of_56_bits_may_wrap(void **state)
{
	(void)state;
	page.capabilities |= DWELL_COUNT_USER_TIME_SHORT;
	page.time_mask = (UINT64_C(1) << 56) - 1;
	page.time_cycles = page.time_mask - 9;
	page.time_shift = 0;
	page.time_mult = 1;
	page.time_offset = -page.time_cycles;
	processor.clock = 20;
	assert_int_equal(read_made_page().enabled_ns, 4000 + 30);
	assert_int_equal(read_made_page().running_ns, 1000 + 30);
}

static void read_without_page(struct dwell_count *ret)
{
	static const uint64_t words[] = { 7, 8, 9 };
	struct dwell_counter counter = { .page = &page };
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	counter.fd = ends[0];
	assert_int_equal(write(ends[1], words, sizeof(words)), sizeof(words));
	assert_int_equal(dwell_count_read(&counter, ret), 0);
	close(ends[0]);
	close(ends[1]);
}

static void assert_is_read_by_system_call(void)
{
	struct dwell_count count;

	GARBAGE(count);
	processor.index = 0;
	read_without_page(&count);
	assert_int_equal(processor.index, 0);
	assert_int_equal(count.value, 7);
	assert_int_equal(count.enabled_ns, 8);
	assert_int_equal(count.running_ns, 9);
	make_page(NULL);
}

static void counts_without_a_usable_counter_are_read_by_system_call(
	void **state)
{
	(void)state;
	page.index = 0;
	assert_is_read_by_system_call();
	page.capabilities = DWELL_COUNT_USER_TIME;
	assert_is_read_by_system_call();
	/* Linux before 3.12 sets bit 0, with another meaning. */
	page.capabilities = 1;
	assert_is_read_by_system_call();
	page.pmc_width = 0;
	assert_is_read_by_system_call();
	page.pmc_width = 65;
	assert_is_read_by_system_call();
	/* Without the clock, the share of the time is not known. */
	page.capabilities = DWELL_COUNT_USER_RDPMC;
	assert_is_read_by_system_call();
}

static void an_unshared_counter_is_read_without_a_clock(void **state)
{
	struct dwell_count count;

	(void)state;
	page.capabilities = DWELL_COUNT_USER_RDPMC;
	page.time_running = page.time_enabled;
	count = read_made_page();
	assert_int_equal(count.value, 105);
	assert_int_equal(count.enabled_ns, 4000);
	assert_int_equal(count.running_ns, 4000);
}

static void dwell_count_read_fails_if_the_system_call_fails(void **state)
{
	struct dwell_counter counter = { .fd = -1 };
	struct dwell_count count;

	(void)state;
	assert_int_equal(dwell_count_read(&counter, &count), -1);
	assert_int_equal(errno, EBADF);
}

/* The kernel moves the event to another counter. */
static void move_event(void)
{
	page.lock += 2;
	page.index = 8;
	page.offset = 2000;
	processor.pmc = 40;
}

static void the_page_is_read_again_if_the_kernel_updates_it_meanwhile(
	void **state)
{
	(void)state;
	processor.interrupt = move_event;
	assert_int_equal(read_made_page().value, 2040);
	assert_int_equal(processor.index, 7);
}

static void end_update(void)
{
	move_event();
	page.lock--;
}

/* The first read changes nothing; the update ends during the second. */
static void wait_for_update(void)
{
	processor.interrupt = end_update;
}

static void a_read_waits_for_the_end_of_an_update_of_the_page(void **state)
{
	(void)state;
	page.lock++;
	page.offset = 7777;
	processor.interrupt = wait_for_update;
	assert_int_equal(read_made_page().value, 2040);
	assert_int_equal(page.lock, 4);
}

#define N_UPDATES 100000u

#define STORE(member, value) \
	__atomic_store_n(&page.member, value, __ATOMIC_RELAXED)

/* Updates the page as the kernel does. */
static void *update_page(void *data)
{
	uint32_t i;

	(void)data;
	for (i = 1; i <= N_UPDATES; i++) {
		STORE(lock, 2 * i + 1);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		STORE(offset, i);
		STORE(time_enabled, 2 * (uint64_t)i);
		STORE(time_running, i);
		__atomic_store_n(&page.lock, 2 * i + 2, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void reads_are_consistent_while_another_thread_updates_the_page(
	void **state)
{
	struct dwell_count count, last = { 0 };
	pthread_t writer;

	(void)state;
	page.offset = page.time_running = page.time_enabled = 0;
	page.time_mult = 0;
	page.time_offset = 0;
	processor.pmc = 0;
	assert_int_equal(pthread_create(&writer, NULL, update_page, NULL), 0);
	do {
		count = read_made_page();
		assert_int_equal(count.enabled_ns, 2 * count.value);
		assert_int_equal(count.running_ns, count.value);
		assert_true(count.value >= last.value);
		last = count;
	} while (count.value < N_UPDATES);
	pthread_join(writer, NULL);
}

static uint64_t count_of(uint64_t value, uint64_t enabled, uint64_t running)
{
	const struct dwell_count before = { 10, 100, 50 };
	const struct dwell_count after = { 10 + value, 100 + enabled,
		50 + running };

	return dwell_count_between(&before, &after);
}

static void counts_of_shared_counters_are_scaled_by_their_time(void **state)
{
	(void)state;
	assert_int_equal(count_of(300, 4000, 4000), 300);
	assert_int_equal(count_of(300, 4000, 1000), 1200);
	assert_int_equal(count_of(7, 3000, 2000), 10);
	/* Times of the last context switch. */
	assert_int_equal(count_of(300, 0, 0), 300);
	assert_int_equal(count_of(0, 4000, 0), 0);
}

static void large_counts_are_scaled_without_overflow(void **state)
{
	const uint64_t large = UINT64_C(1) << 63;

	(void)state;
	assert_true(count_of(large, 1000, 1000) == large);
	assert_true(count_of(large, 3000, 2000) == large + large / 2);
	assert_true(count_of(large, 2000, 1000) == UINT64_MAX);
	assert_true(count_of(large, large, 1) == UINT64_MAX);
	/* Less than one count per ns, for 29 years. */
	assert_true(count_of(large >> 4, large >> 3, large >> 4) == large >> 3);
}

/* Times of the page and of read(2) can differ by some ns. */
static void differences_of_counts_are_never_negative(void **state)
{
	const struct dwell_count before = { 10, 100, 100 };
	const struct dwell_count earlier = { 12, 99, 101 },
				 less = { 9, 99, 99 };

	(void)state;
	assert_int_equal(dwell_count_between(&before, &earlier), 2);
	assert_int_equal(dwell_count_between(&before, &less), 0);
}

#define WITH_PAGE(test) cmocka_unit_test_setup(test, make_page)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			dwell_count_page_has_the_layout_of_the_kernels_page),
		WITH_PAGE(a_count_is_the_counter_plus_the_offset_of_the_page),
		WITH_PAGE(counters_of_any_bit_width_are_sign_extended),
		WITH_PAGE(times_of_large_clock_values_do_not_overflow),
		WITH_PAGE(a_clock_of_56_bits_may_wrap),
		WITH_PAGE(
			counts_without_a_usable_counter_are_read_by_system_call),
		WITH_PAGE(an_unshared_counter_is_read_without_a_clock),
		WITH_PAGE(dwell_count_read_fails_if_the_system_call_fails),
		WITH_PAGE(
			the_page_is_read_again_if_the_kernel_updates_it_meanwhile),
		WITH_PAGE(a_read_waits_for_the_end_of_an_update_of_the_page),
		WITH_PAGE(
			reads_are_consistent_while_another_thread_updates_the_page),
		cmocka_unit_test(
			counts_of_shared_counters_are_scaled_by_their_time),
		cmocka_unit_test(large_counts_are_scaled_without_overflow),
		cmocka_unit_test(differences_of_counts_are_never_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
