/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/losses.h"

#include "common/alloc.h"
#include "common/clock.h"

struct losses {
	const struct opened *opened;
	const struct intake *intake;
	struct drain *drain;
	size_t n; /* events, sideband included */
	struct loss *now;
	uint64_t *told; /* what LOST_SAMPLES have said so far */
	struct intake_counts *counts;
	struct sample_layout layout; /* of the sideband's trailer */
};

struct losses *losses_create(const struct opened *opened,
	const struct intake *intake, struct drain *drain)
{
	struct losses *losses = xcalloc(1, sizeof(*losses));
	size_t i;

	losses->opened = opened;
	losses->intake = intake;
	losses->drain = drain;
	losses->n = opened->selection->events.n + 1;
	losses->now = xcalloc(losses->n, sizeof(*losses->now));
	losses->told = xcalloc(losses->n, sizeof(*losses->told));
	losses->counts = xcalloc(losses->n, sizeof(*losses->counts));
	sample_layout_init(&losses->layout, &opened->sideband_attr);
	for (i = 0; i + 1 < losses->n; i++)
		losses->now[i].id = opened->selection->events.at[i].id;
	losses->now[i].id = opened->sideband_id;
	return losses;
}

void losses_destroy(struct losses *losses)
{
	if (!losses)
		return;
	free(losses->now);
	free(losses->told);
	free(losses->counts);
	free(losses);
}

/* perf_event.h, struct read_format with PERF_FORMAT_ID and _LOST alone. */
struct counter {
	uint64_t value, id, lost;
};

static void read_kernel(struct losses *losses)
{
	array_each(&losses->opened->fds, fd) {
		struct counter counter;

		if (read(fd->fd, &counter, sizeof(counter)) == sizeof(counter))
			losses->now[fd->event].kernel += counter.lost;
	}
}

static void tell(struct losses *losses, size_t event, struct strbuf *records)
{
	const struct loss *loss = &losses->now[event];
	uint64_t sum = loss->kernel + loss->dropped;
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	struct sample_id id = { .id = loss->id, .time = clock_now_ns() };

	if (sum <= losses->told[event])
		return;
	sample_id_write(&losses->layout, &id, trailer);
	record_write_lost_samples(records, sum - losses->told[event], trailer,
		losses->layout.trailer_size);
	losses->told[event] = sum;
}

bool losses_read(struct losses *losses)
{
	bool is_exact =
		losses->opened->sideband_attr.read_format & ABI_FORMAT_LOST;
	size_t sideband = losses->n - 1, i;
	uint64_t before = losses->now[sideband].kernel;
	_cleanup_strbuf_ struct strbuf records = { 0 };

	intake_counts(losses->intake, losses->counts);
	for (i = 0; i < losses->n; i++) {
		losses->now[i].samples = losses->counts[i].samples;
		losses->now[i].dropped = losses->counts[i].dropped;
		losses->now[i].kernel =
			is_exact ? 0 : losses->counts[i].lost_records;
	}
	if (is_exact)
		read_kernel(losses);
	for (i = 0; i < sideband; i++)
		tell(losses, i, &records);
	if (records.n)
		drain_inject(losses->drain, &records);
	return losses->now[sideband].kernel > before;
}

const struct loss *losses_get(const struct losses *losses)
{
	return losses->now;
}
