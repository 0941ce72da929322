/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lost counts of the kernel, from files in place of descriptors. */
#include "config.h"

#include "tests/unit/testing.h"

#include <sys/mman.h>

#include "tests/unit/make_rings.h"
#include "record/stream/losses.h"

/* perf_event_open(2), PERF_FORMAT_ID and PERF_FORMAT_LOST. */
struct answer {
	uint64_t value, id, lost;
};

/*
 * Sets the LOST count that the next read returns; NO_ANSWER: end of file, as
 * for an offline CPU.
 */
#define NO_ANSWER UINT64_MAX
static void answer(int fd, uint64_t lost)
{
	struct answer text = { .id = RINGS_ID, .lost = lost };

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	if (lost == NO_ANSWER)
		return;
	assert_int_equal(write(fd, &text, sizeof(text)), sizeof(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
}

static void the_last_lost_count_is_kept_if_a_read_fails(void **state)
{
	struct rings *rings = rings_create(2, KIB(64), MIB(1));
	struct losses *losses;
	int gone = memfd_create("gone", 0), other = memfd_create("other", 0);

	(void)state;
	rings->opened.sideband_attr.read_format |= ABI_FORMAT_LOST;
	rings->opened.fds.at[0].fd = gone;
	rings->opened.fds.at[1].fd = other;
	rings->opened.fds.at[1].place = 1;
	losses = losses_create(&rings->opened, rings->intake, rings->drain);
	answer(gone, 5);
	answer(other, 1);
	losses_read(losses);
	assert_int_equal(losses_sum(losses).kernel, 6);
	answer(gone, NO_ANSWER);
	answer(other, 3);
	losses_read(losses);
	assert_int_equal(losses_sum(losses).kernel, 8);
	losses_destroy(losses);
	rings_destroy(rings);
	close(gone);
	close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_lost_count_is_kept_if_a_read_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
