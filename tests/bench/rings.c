/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the drain thread with the rings of a large machine, for bench.sh:
 *
 *     rings [RINGS [RECORDS_PER_SECOND [SECONDS]]]
 *
 * Each ring is filled once with samples of 128 bytes, the size with eight
 * callers. Then the ring heads are advanced every 1 ms, as by a kernel with
 * RINGS CPUs. Blocks from the queue are discarded without compression. Prints
 * the records read per second, the records lost because their ring was full,
 * the drain's share of one CPU, its rounds per second, and the queue's peak in
 * MiB.
 */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "common/util/clock.h"
#include "make_rings.h"
#include "record/sys/priority.h"

#define RECORD_BYTES 128u
#define RING_BYTES KIB(512)

struct flood {
	struct rings *rings;
	size_t n_rings;
	uint64_t written, lost;
	double consumer_cpu;
};

static double cpu_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *consume(void *data)
{
	struct flood *flood = data;
	struct queue *queue = flood->rings->queue;
	struct queue_block *block;

	while ((block = queue_take(queue)))
		queue_give_back(queue, block);
	flood->consumer_cpu = cpu_of(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void lay_out(struct rings *rings, size_t cpu)
{
	const struct perf_event_header header = { RECORD_SAMPLE, MISC_USER,
		RECORD_BYTES };
	uint8_t *at = (uint8_t *)rings->samples[cpu].ring.data;
	size_t i;

	for (i = 0; i < RING_BYTES / RECORD_BYTES; i++) {
		const uint64_t words[] = { RINGS_ID, i, 7, i + 1, cpu, 1 };

		memcpy(at, &header, sizeof(header));
		memcpy(at + sizeof(header), words, sizeof(words));
		at += RECORD_BYTES;
	}
}

/* Adds N records to a ring. Records without room count as lost. */
static void write_records(struct flood *flood, size_t cpu, uint64_t n)
{
	struct perf_event_mmap_page *page =
		flood->rings->samples[cpu].ring.page;
	uint64_t tail = __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE);
	uint64_t room = (RING_BYTES - (page->data_head - tail)) / RECORD_BYTES;
	uint64_t taken = MIN(n, room);

	__atomic_store_n(&page->data_head,
		page->data_head + taken * RECORD_BYTES, __ATOMIC_RELEASE);
	flood->written += taken;
	flood->lost += n - taken;
}

static void produce(struct flood *flood, uint64_t per_second, double seconds)
{
	uint64_t start = clock_now_ns(), due, done = 0, now;
	uint64_t end = start + (uint64_t)(seconds * (double)NSEC_PER_SEC);
	struct timespec tick = { .tv_nsec = (long)NSEC_PER_MSEC };
	size_t cpu;

	while ((now = clock_now_ns()) < end) {
		/* The number of records that each ring should have by now. */
		due = (now - start) / 1000 * per_second / 1000000 /
			flood->n_rings;
		for (cpu = 0; cpu < flood->n_rings; cpu++)
			write_records(flood, cpu, due - done);
		done = due;
		nanosleep(&tick, NULL);
	}
}

static unsigned long argument(int argc, char **argv, int i, unsigned long usual)
{
	return argc > i ? strtoul(argv[i], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
	unsigned long n = argument(argc, argv, 1, 256);
	unsigned long per_second = argument(argc, argv, 2, 10000000);
	double seconds = (double)argument(argc, argv, 3, 3), drain_cpu, start;
	struct flood flood = { .n_rings = n };
	pthread_t consumer;
	size_t cpu;

	if (!n || n > 4096)
		return 2;
	flood.rings = rings_create(n, RING_BYTES, MIB(64));
	for (cpu = 0; cpu < n; cpu++)
		lay_out(flood.rings, cpu);
	start = cpu_of(CLOCK_PROCESS_CPUTIME_ID);
	drain_cpu = cpu_of(CLOCK_THREAD_CPUTIME_ID);
	if (pthread_create(&consumer, NULL, consume, &flood) ||
		drain_start(flood.rings->drain, PRIORITY_LOWEST))
		return 1;
	/* The producer stands for the kernel, so it must not be delayed. */
	priority_raise(2, -20);
	produce(&flood, per_second, seconds);
	drain_cpu -= cpu_of(CLOCK_THREAD_CPUTIME_ID);
	drain_stop(flood.rings->drain);
	drain_finish(flood.rings->drain);
	queue_close(flood.rings->queue);
	pthread_join(consumer, NULL);
	drain_cpu +=
		cpu_of(CLOCK_PROCESS_CPUTIME_ID) - start - flood.consumer_cpu;
	printf("rings %zu taken/s %.0f lost %" PRIu64 " cpu %.3f rounds/s %.0f "
	       "queue %.1f\n",
		n, (double)flood.written / seconds, flood.lost,
		drain_cpu / seconds,
		(double)drain_rounds(flood.rings->drain) / seconds,
		(double)queue_peak_bytes(flood.rings->queue) / MIB(1));
	rings_destroy(flood.rings);
	return 0;
}
