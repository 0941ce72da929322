/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/losses.h"

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/log.h"
#include "record/sys/clocks.h"

/*
 * Maximum number of events of a group, which the record size of the kernel
 * limits (64 KiB).
 */
#define GROUP_EVENTS_MAX 2048u

struct losses {
	const struct event_fds *opened;
	const struct recorded_counts *counts;
	struct drain *drain;
	size_t n_events; /* includes the sideband event */
	size_t n_cpus;
	struct loss *entries; /* n_cpus entries per event */
	ARRAY(uint64_t) lost; /* last lost count of each descriptor */
	uint64_t *n_written;  /* for each event: lost samples that were written
				 as LOST_SAMPLES records */
	struct sample_layout layout; /* of the sample_id of sideband records */
};

static uint64_t loss_event_id(const struct event_fds *opened, size_t event)
{
	return event < opened->selection->events.n
		? opened->selection->events.at[event].id
		: opened->sideband_id;
}

static struct loss *loss_at(
	const struct losses *losses, size_t event, size_t cpu)
{
	return &losses->entries[event * losses->n_cpus +
		MIN(cpu, losses->n_cpus - 1)];
}

struct losses *losses_create(const struct event_fds *opened,
	const struct intake *intake, struct drain *drain)
{
	struct losses *losses = xcalloc(1, sizeof(*losses));

	losses->opened = opened;
	losses->counts = intake_counts(intake);
	losses->drain = drain;
	losses->n_events = losses->counts->n_events;
	losses->n_cpus = losses->counts->n_cpus;
	losses->entries = xcalloc(
		losses->n_events * losses->n_cpus, sizeof(*losses->entries));
	losses->n_written =
		xcalloc(losses->n_events, sizeof(*losses->n_written));
	sample_layout_init(&losses->layout, &opened->sideband_attr);
	return losses;
}

void losses_destroy(struct losses *losses)
{
	if (!losses)
		return;
	array_free(&losses->lost);
	free(losses->entries);
	free(losses->n_written);
	free(losses);
}

static bool is_kernel_loss_exact(const struct losses *losses)
{
	return losses->opened->sideband_attr.read_format & ABI_FORMAT_LOST;
}

void losses_recount(const struct losses *losses,
	const struct recorded_counts *counts, struct loss *all)
{
	uint32_t event, cpu;

	for (event = 0; event < losses->n_events; event++)
		for (cpu = 0; cpu < losses->n_cpus; cpu++) {
			struct recorded_count count = recorded_count_read(
				recorded_counts_at(counts, event, cpu));
			struct loss *loss = &all[event * losses->n_cpus + cpu];

			loss->id = loss_event_id(losses->opened, event);
			loss->cpu =
				cpu + 1 < losses->n_cpus ? cpu : LOSS_ANY_CPU;
			loss->samples = count.samples;
			loss->dropped = count.dropped;
			loss->throttled = count.throttled;
			if (!is_kernel_loss_exact(losses))
				loss->kernel = count.lost_records;
		}
}

/*
 * struct read_format of linux/perf_event.h with PERF_FORMAT_GROUP,
 * PERF_FORMAT_ID and PERF_FORMAT_LOST.
 */
struct group_counters {
	uint64_t n;
	struct event_counter counters[GROUP_EVENTS_MAX];
};

static void read_kernel_losses(struct losses *losses)
{
	const struct event_fds *opened = losses->opened;
	size_t i;

	for (i = 0; i < losses->n_events * losses->n_cpus; i++)
		losses->entries[i].kernel = 0;
	while (losses->lost.n < opened->fds.n)
		array_push(&losses->lost);
	for (i = 0; i < opened->fds.n; i++) {
		const struct event_fd *fd = &opened->fds.at[i];
		uint32_t cpu = opened->target->online.list.at[fd->place];

		/*
		 * Read the lost count, if the kernel reports it. If the CPU is
		 * offline, keep the last count.
		 */
		const struct selection_event *events =
			opened->selection->events.at;
		struct event_counter counter;

		if (fd->event == event_fds_sideband(opened) ||
			!(events[fd->event].attr.read_format &
				PERF_FORMAT_GROUP)) {
			if (event_fds_read(fd, &counter))
				losses->lost.at[i] = counter.lost;
		} else if (events[fd->event].attr.sample_period) {
			struct group_counters group = { 0 };
			uint64_t n = 0;

			if (read(fd->fd, &group, sizeof(group)) > 0)
				n = MIN(group.n, (uint64_t)GROUP_EVENTS_MAX);
			while (n--)
				if (group.counters[n].id == fd->id)
					losses->lost.at[i] =
						group.counters[n].lost;
		}
		loss_at(losses, fd->event, cpu)->kernel += losses->lost.at[i];
	}
}

bool losses_read(struct losses *losses)
{
	size_t sideband = losses->n_events - 1, i;
	uint64_t before = losses_of(losses, sideband).kernel;
	_cleanup_strbuf_ struct strbuf records = { 0 };

	losses_recount(losses, losses->counts, losses->entries);
	if (is_kernel_loss_exact(losses))
		read_kernel_losses(losses);
	for (i = 0; i < sideband; i++) {
		struct loss loss = losses_of(losses, i);
		uint64_t sum = loss.kernel + loss.dropped;
		uint8_t trailer[SAMPLE_ID_SIZE_MAX];
		struct sample_id id = { .id = loss.id, .time = clocks_now() };

		if (sum <= losses->n_written[i])
			continue;
		sample_id_write(&losses->layout, &id, trailer);
		record_write_lost_samples(&records, sum - losses->n_written[i],
			trailer, losses->layout.trailer_size);
		losses->n_written[i] = sum;
	}
	if (records.n)
		drain_inject(losses->drain, &records);
	return losses_of(losses, sideband).kernel > before;
}

struct loss losses_of(const struct losses *losses, size_t event)
{
	struct loss sum = { .id = loss_event_id(losses->opened, event),
		.cpu = LOSS_ANY_CPU };
	size_t cpu;

	for (cpu = 0; cpu < losses->n_cpus; cpu++)
		loss_add(&sum, loss_at(losses, event, cpu));
	return sum;
}

struct loss losses_sum(const struct losses *losses)
{
	struct loss sum = { .cpu = LOSS_ANY_CPU };
	size_t event;

	for (event = 0; event + 1 < losses->n_events; event++) {
		struct loss one = losses_of(losses, event);

		loss_add(&sum, &one);
	}
	return sum;
}

static bool is_loss_reported(const struct loss *loss)
{
	return loss->samples || loss_is_any(loss);
}

void losses_write(const struct loss *all, size_t n, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (is_loss_reported(&all[i]))
			loss_write(&all[i], out);
}

const struct loss *losses_all(const struct losses *losses, size_t *n_ret)
{
	*n_ret = losses->n_events * losses->n_cpus;
	return losses->entries;
}

void losses_report(const struct losses *losses)
{
	const struct selection *selection = losses->opened->selection;
	size_t i;

	for (i = 0; i < selection->events.n * losses->n_cpus; i++) {
		_cleanup_strbuf_ struct strbuf line = { 0 };

		if (!is_loss_reported(&losses->entries[i]))
			continue;
		loss_print(&losses->entries[i],
			selection->events.at[i / losses->n_cpus].name, &line);
		log_verbose("%s", line.at);
	}
}
