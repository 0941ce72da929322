/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/drain.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "record/stream/snapshot.h"
#include "record/sys/clocks.h"
#include "record/sys/priority.h"

/* Blocks go on at least this often, so a killed recorder loses little. */
#define FLUSH_NS (700 * NSEC_PER_MSEC)
/* At first sooner: what the first stacks tell makes others whole. */
#define FLUSH_FIRST_NS (10 * NSEC_PER_MSEC)
#define TIMEOUT_MIN_MS 1
#define TIMEOUT_MAX_MS 100
/*
 * While processes start, the drain looks at the rings every 5 ms instead of
 * being woken by each of them; until so many rounds have found no sideband.
 */
#define TIMEOUT_STARTING_MS 5
#define ROUNDS_STARTING 10u
/* A sideband ring of this size is not full within that time. */
#define SIDEBAND_SIZE_LARGE KIB(64)
/* After so many bytes a ring's space is given back during a round. */
#define RELEASE_BYTES KIB(64)

struct drain {
	struct opened *opened;
	struct intake *intake;
	uint64_t *heads;
	struct pollfd *polls; /* stop event, owners of samples, of sideband */
	size_t n_polls;
	size_t n_urgent; /* of POLLS, that end a wait while processes start */
	unsigned n_quiet; /* rounds since the last one with sideband */
	uint8_t *scratch;
	uint64_t rounds;
	uint64_t flushed; /* time of the last flush */
	uint64_t flush_ns; /* until the next one */
	int timeout_ms, realtime, stop_fd;
	bool is_running;
	pthread_t thread;
	pthread_mutex_t inject_lock;
	struct strbuf injected; /* guarded by inject_lock, */
	bool wants_turn;        /* and these */
	bool wants_snapshot;
	bool is_turn_due;
	struct snapshot *snapshot; /* NULL: samples are taken in each round */
};

static void take_ring(struct drain *drain, struct ring *ring, uint64_t head)
{
	const struct perf_event_header *header;
	uint64_t released = ring->tail;

	while ((header = ring_next(ring, head, drain->scratch))) {
		intake_take(drain->intake, header);
		if (ring->tail - released >= RELEASE_BYTES) {
			ring_release(ring);
			released = ring->tail;
		}
	}
	ring_release(ring);
}

/* What was asked for begins with this round. */
static void take_injected(struct drain *drain)
{
	struct strbuf records;
	bool wants_snapshot;

	pthread_mutex_lock(&drain->inject_lock);
	records = drain->injected;
	drain->injected = (struct strbuf){ 0 };
	drain->is_turn_due |= drain->wants_turn;
	wants_snapshot = drain->wants_snapshot;
	drain->wants_turn = drain->wants_snapshot = false;
	pthread_mutex_unlock(&drain->inject_lock);
	intake_take_own(drain->intake, &records);
	strbuf_free(&records);
	if (wants_snapshot && drain->snapshot)
		snapshot_begin(drain->snapshot);
}

/* How full the fullest ring was, in percent, decides when to look again. */
static void adapt_timeout(struct drain *drain, unsigned fill)
{
	if (fill > 25)
		drain->timeout_ms /= 2;
	else if (fill < 6)
		drain->timeout_ms *= 2;
	drain->timeout_ms = MAX(drain->timeout_ms, TIMEOUT_MIN_MS);
	drain->timeout_ms = MIN(drain->timeout_ms, TIMEOUT_MAX_MS);
}

static unsigned fill_percent(const struct ring *ring, uint64_t head)
{
	return (unsigned)((head - ring->tail) * 100 / ring->size);
}

static unsigned load_heads(struct drain *drain)
{
	const struct opened *opened = drain->opened;
	unsigned fill = 0, ring_fill;
	size_t i;

	for (i = 0; i < opened->n_rings && !drain->snapshot; i++) {
		const struct ring *ring = &opened->samples[i].ring;

		if (!ring->page)
			continue;
		drain->heads[i] = ring_head(ring);
		ring_fill = fill_percent(ring, drain->heads[i]);
		fill = MAX(fill, ring_fill);
	}
	return fill;
}

static unsigned take_sideband(struct drain *drain)
{
	const struct opened *opened = drain->opened;
	unsigned fill = 0, ring_fill;
	size_t i;

	drain->n_quiet++;
	for (i = 0; i < opened->n_rings; i++) {
		struct ring *ring = &opened->sideband[i].ring;
		uint64_t head;

		if (!ring->page)
			continue;
		head = ring_head(ring);
		ring_fill = fill_percent(ring, head);
		fill = MAX(fill, ring_fill);
		if (head != ring->tail)
			drain->n_quiet = 0;
		take_ring(drain, ring, head);
	}
	return fill;
}

static void take_samples(struct drain *drain)
{
	struct opened *opened = drain->opened;
	size_t i;

	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page)
			take_ring(drain, &opened->samples[i].ring,
				drain->heads[i]);
}

static bool is_snapshot_under_way(const struct drain *drain)
{
	return drain->snapshot && !snapshot_is_over(drain->snapshot);
}

/* The end of a file comes when everything is taken that belongs to it. */
static bool try_turn(struct drain *drain)
{
	if (!drain->is_turn_due || is_snapshot_under_way(drain))
		return false;
	drain->is_turn_due = false;
	intake_turn(drain->intake);
	return true;
}

void drain_round(struct drain *drain)
{
	unsigned samples = load_heads(drain), sideband;
	uint64_t loaded = clock_now_ns();

	drain->rounds++;
	intake_begin(drain->intake, clocks_now());
	take_injected(drain);
	sideband = take_sideband(drain);
	intake_settle(drain->intake);
	if (drain->snapshot)
		snapshot_go_on(drain->snapshot);
	else
		take_samples(drain);
	adapt_timeout(drain, MAX(samples, sideband));
	if (copying_is_hurried(intake_copying(drain->intake)))
		drain->timeout_ms = TIMEOUT_MIN_MS;
	if (is_snapshot_under_way(drain)) {
		drain->timeout_ms = TIMEOUT_MIN_MS;
		/* In a small queue half a block is all the room there is. */
		intake_try_flush(drain->intake);
	}
	if (try_turn(drain) || (loaded - drain->flushed >= drain->flush_ns &&
			       intake_try_flush(drain->intake))) {
		drain->flushed = loaded;
		drain->flush_ns = MIN(2 * drain->flush_ns, FLUSH_NS);
	}
}

uint64_t drain_rounds(const struct drain *drain)
{
	return drain->rounds;
}

static bool is_anything_left(const struct drain *drain)
{
	const struct opened *opened = drain->opened;
	size_t i;

	for (i = 0; i < opened->n_rings; i++) {
		const struct ring *sideband = &opened->sideband[i].ring;
		const struct ring *samples = &opened->samples[i].ring;

		if (sideband->page && ring_head(sideband) != sideband->tail)
			return true;
		if (samples->page && !drain->snapshot &&
			ring_head(samples) != samples->tail)
			return true;
	}
	return drain->injected.n > 0 || is_snapshot_under_way(drain);
}

void drain_empty(struct drain *drain)
{
	for (;;) {
		drain_round(drain);
		if (!is_anything_left(drain))
			return;
		/* The writer needs the CPU to make room. */
		if (is_snapshot_under_way(drain))
			poll(NULL, 0, TIMEOUT_MIN_MS);
	}
}

void drain_finish(struct drain *drain)
{
	drain_empty(drain);
	intake_end(drain->intake);
}

/*
 * A descriptor whose task has exited answers POLLHUP for ever, while others
 * still write to its ring: the timeout must do then.
 */
static void retire_hung_up(struct drain *drain)
{
	size_t i;

	for (i = 1; i < drain->n_polls; i++)
		if (drain->polls[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			drain->polls[i].fd = -1;
}

static void wait_for_records(struct drain *drain)
{
	int timeout_ms = drain->timeout_ms;
	size_t n = drain->n_polls;

	if (drain->n_quiet < ROUNDS_STARTING) {
		timeout_ms = MIN(timeout_ms, TIMEOUT_STARTING_MS);
		n = drain->n_urgent;
	}
	if (poll(drain->polls, n, timeout_ms) > 0)
		retire_hung_up(drain);
}

static void *run(void *data)
{
	struct drain *drain = data;

	priority_raise(drain->realtime, -20);
	while (!drain->polls[0].revents) {
		drain_round(drain);
		wait_for_records(drain);
	}
	return NULL;
}

static void add_poll(struct drain *drain, int fd)
{
	drain->polls[drain->n_polls++] =
		(struct pollfd){ .fd = fd, .events = POLLIN };
}

struct error *drain_create(
	struct opened *opened, struct intake *intake, struct drain **ret)
{
	int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct drain *drain;

	if (stop_fd < 0)
		return error_errno(errno, "eventfd");
	*ret = drain = xcalloc(1, sizeof(*drain));
	drain->stop_fd = stop_fd;
	drain->opened = opened;
	drain->intake = intake;
	drain->heads = xcalloc(opened->n_rings, sizeof(*drain->heads));
	drain->scratch = xmalloc(RECORD_SIZE_MAX + 1);
	drain->polls =
		xcalloc(2 * opened->n_rings + 1, sizeof(*drain->polls));
	drain->timeout_ms = TIMEOUT_MIN_MS;
	drain->flush_ns = FLUSH_FIRST_NS;
	if (opened->rings.is_backward)
		drain->snapshot = snapshot_create(opened, intake);
	pthread_mutex_init(&drain->inject_lock, NULL);
	return NULL;
}

void drain_destroy(struct drain *drain)
{
	if (!drain)
		return;
	close(drain->stop_fd);
	pthread_mutex_destroy(&drain->inject_lock);
	strbuf_free(&drain->injected);
	snapshot_destroy(drain->snapshot);
	free(drain->heads);
	free(drain->polls);
	free(drain->scratch);
	free(drain);
}

void drain_turn(struct drain *drain)
{
	pthread_mutex_lock(&drain->inject_lock);
	drain->wants_turn = true;
	pthread_mutex_unlock(&drain->inject_lock);
}

void drain_snapshot(struct drain *drain)
{
	pthread_mutex_lock(&drain->inject_lock);
	drain->wants_snapshot = true;
	pthread_mutex_unlock(&drain->inject_lock);
}

void drain_inject(struct drain *drain, const struct strbuf *records)
{
	pthread_mutex_lock(&drain->inject_lock);
	strbuf_put(&drain->injected, records->at, records->n);
	pthread_mutex_unlock(&drain->inject_lock);
}

struct error *drain_start(struct drain *drain, int realtime)
{
	size_t i;
	int errnum;

	drain->n_polls = 0;
	add_poll(drain, drain->stop_fd);
	/* Rings that are overwritten are full all the time. */
	for (i = 0; i < drain->opened->n_rings && !drain->snapshot; i++)
		add_poll(drain, drain->opened->samples[i].owner);
	drain->n_urgent = drain->n_polls;
	for (i = 0; i < drain->opened->n_rings; i++)
		add_poll(drain, drain->opened->sideband[i].owner);
	if (drain->opened->rings.sideband_size < SIDEBAND_SIZE_LARGE)
		drain->n_urgent = drain->n_polls;
	drain->realtime = realtime;
	errnum = pthread_create(&drain->thread, NULL, run, drain);
	if (errnum)
		return error_errno(errnum, "starting the collecting thread");
	drain->is_running = true;
	return NULL;
}

void drain_stop(struct drain *drain)
{
	const uint64_t one = 1;
	uint64_t taken;

	if (!drain->is_running)
		return;
	while (write(drain->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(drain->thread, NULL);
	/* It may be started again. */
	while (read(drain->stop_fd, &taken, sizeof(taken)) < 0 &&
		errno == EINTR)
		;
	drain->is_running = false;
}
