/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/drain.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/log.h"
#include "record/open/open.h"
#include "record/ring/ring.h"
#include "record/stream/intake.h"
#include "record/sys/clocks.h"
#include "record/sys/priority.h"

/* Number of records that are read before the queue is checked again. */
#define RECORDS_PER_STEP 256u

/*
 * Reads all samples that overwritten ring buffers (--overwrite) contain at the
 * time of a request. All ring buffers are paused together, and read one after
 * the other, a few records at a time, while the queue has space. No thread
 * blocks, and no record is dropped, independently of the size of the ring
 * buffers.
 */
struct snapshot {
	struct event_fds *opened;
	struct intake *intake;
	uint64_t *heads;
	size_t next; /* index of the ring buffer that is being read; n_rings:
			the snapshot is over */
	struct ring_positions places; /* record positions in this ring buffer */
	size_t n_taken;		      /* number of .places that were read */
	uint8_t scratch[RECORD_SIZE_MAX + 1];
};

static bool snapshot_is_over(const struct snapshot *snapshot)
{
	return snapshot->next == snapshot->opened->n_rings;
}

static void start_ring(struct snapshot *snapshot, size_t next)
{
	const struct event_fds *opened = snapshot->opened;

	snapshot->next = next;
	snapshot->n_taken = 0;
	array_clear(&snapshot->places.list);
	if (next < opened->n_rings && opened->samples[next].ring.page)
		ring_backward_list(&opened->samples[next].ring,
			snapshot->heads[next], &snapshot->places);
}

/*
 * Reads some records of the current ring buffer. Returns false if the ring
 * buffer has no more records.
 */
static bool take_records(struct snapshot *snapshot)
{
	const struct ring *ring =
		&snapshot->opened->samples[snapshot->next].ring;
	size_t n = MIN(
		snapshot->places.list.n, snapshot->n_taken + RECORDS_PER_STEP);

	for (; snapshot->n_taken < n; snapshot->n_taken++)
		intake_take(snapshot->intake,
			ring_backward_at(ring,
				snapshot->places.list.at[snapshot->n_taken],
				snapshot->scratch));
	return n < snapshot->places.list.n;
}

/*
 * Pauses the ring buffers, whose current records are then read by
 * snapshot_continue(). The sideband records that the samples depend on must be
 * read between this call and the first snapshot_continue().
 */
static void snapshot_begin(struct snapshot *snapshot)
{
	const struct event_fds *opened = snapshot->opened;
	size_t i;

	/*
	 * The previous snapshot is not over: the ring buffers are already
	 * paused.
	 */
	if (!snapshot_is_over(snapshot))
		return;
	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page &&
			ring_backward_pause(opened->samples[i].owner))
			log_verbose("cannot pause a ring buffer: its samples "
				    "may be incomplete");
	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page)
			snapshot->heads[i] =
				ring_head(&opened->samples[i].ring);
	start_ring(snapshot, 0);
}

/*
 * Reads records while the queue has space. Resumes all ring buffers after the
 * last record of the snapshot.
 */
static void snapshot_continue(struct snapshot *snapshot)
{
	if (snapshot_is_over(snapshot))
		return;
	while (!snapshot_is_over(snapshot) && intake_has_room(snapshot->intake))
		if (!take_records(snapshot))
			start_ring(snapshot, snapshot->next + 1);
	if (snapshot_is_over(snapshot)) {
		const struct event_fds *opened = snapshot->opened;
		size_t i;

		for (i = 0; i < opened->n_rings; i++)
			if (opened->samples[i].ring.page)
				ring_backward_resume(opened->samples[i].owner);
	}
}

/*
 * Blocks are flushed at least this often, so that a killed recorder loses
 * little.
 */
#define FLUSH_NS (700 * NSEC_PER_MSEC)
/*
 * The first flush interval, which is doubled up to FLUSH_NS: early stacks help
 * to complete other stacks.
 */
#define FLUSH_FIRST_NS (10 * NSEC_PER_MSEC)
#define TIMEOUT_MIN_MS 1
#define TIMEOUT_MAX_MS 100
/*
 * While processes start, the drain polls the ring buffers every 5 ms instead of
 * being woken by each sideband record, until this number of rounds found no
 * sideband.
 */
#define TIMEOUT_STARTING_MS 5
#define QUIET_ROUNDS_MAX 10u
/*
 * A sideband ring buffer of at least this size does not fill up in
 * TIMEOUT_STARTING_MS.
 */
#define SIDEBAND_SIZE_LARGE KIB(64)
/*
 * The space in a ring buffer is returned to the kernel each time this number of
 * bytes was read.
 */
#define RELEASE_BYTES KIB(64)

struct drain {
	struct event_fds *opened;
	struct intake *intake;
	uint64_t *heads;
	struct pollfd *polls; /* stop_fd, owners of sample rings, owners of
				 sideband rings */
	size_t n_polls;
	size_t n_urgent;  /* number of POLLS that are used while processes start
			   */
	unsigned n_quiet; /* rounds since the last sideband record */
	uint8_t *scratch;
	uint64_t rounds;
	uint64_t flushed;  /* time of the last flush */
	uint64_t flush_ns; /* interval until the next flush */
	int timeout_ms, realtime, stop_fd;
	bool is_running;
	pthread_t thread;
	pthread_mutex_t inject_lock;
	struct strbuf
		injected; /* guarded by inject_lock, as the two members below */
	bool wants_switch;
	bool wants_snapshot;
	bool is_switch_due;
	struct snapshot *snapshot; /* NULL: samples are read in each round */
	struct unsampled_time *clocks; /* may be NULL */
};

static void drain_ring(struct drain *drain, struct ring *ring, uint64_t head)
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

/*
 * Takes the injected records and the requests of other threads, which take
 * effect in this round.
 */
static void take_injected(struct drain *drain)
{
	struct strbuf records;
	bool wants_snapshot;

	pthread_mutex_lock(&drain->inject_lock);
	records = drain->injected;
	drain->injected = (struct strbuf){ 0 };
	drain->is_switch_due |= drain->wants_switch;
	wants_snapshot = drain->wants_snapshot;
	drain->wants_switch = drain->wants_snapshot = false;
	pthread_mutex_unlock(&drain->inject_lock);
	intake_take_synthesized(drain->intake, &records);
	strbuf_free(&records);
	if (wants_snapshot && drain->snapshot)
		snapshot_begin(drain->snapshot);
}

static unsigned ring_fill_percent(const struct ring *ring, uint64_t head)
{
	return (unsigned)((head - ring->tail) * 100 / ring->size);
}

static unsigned load_sample_heads(struct drain *drain)
{
	const struct event_fds *opened = drain->opened;
	unsigned fill = 0, ring_fill;
	size_t i;

	for (i = 0; i < opened->n_rings && !drain->snapshot; i++) {
		const struct ring *ring = &opened->samples[i].ring;

		if (!ring->page)
			continue;
		drain->heads[i] = ring_head(ring);
		ring_fill = ring_fill_percent(ring, drain->heads[i]);
		fill = MAX(fill, ring_fill);
	}
	return fill;
}

static unsigned drain_sideband_rings(struct drain *drain)
{
	const struct event_fds *opened = drain->opened;
	unsigned fill = 0, ring_fill;
	size_t i;

	drain->n_quiet++;
	for (i = 0; i < opened->n_rings; i++) {
		struct ring *ring = &opened->sideband[i].ring;
		uint64_t head;

		if (!ring->page)
			continue;
		head = ring_head(ring);
		ring_fill = ring_fill_percent(ring, head);
		fill = MAX(fill, ring_fill);
		if (head != ring->tail)
			drain->n_quiet = 0;
		drain_ring(drain, ring, head);
	}
	return fill;
}

static bool is_snapshot_under_way(const struct drain *drain)
{
	return drain->snapshot && !snapshot_is_over(drain->snapshot);
}

/*
 * Starts the next file if this is requested and no snapshot is being taken.
 * Returns true if the next file was started.
 */
static bool try_file_switch(struct drain *drain)
{
	if (!drain->is_switch_due || is_snapshot_under_way(drain))
		return false;
	drain->is_switch_due = false;
	intake_switch_file(drain->intake);
	return true;
}

void drain_round(struct drain *drain)
{
	uint64_t loaded = clock_now_ns();
	unsigned samples = load_sample_heads(drain), sideband;

	drain->rounds++;
	intake_begin_round(drain->intake, clocks_now());
	take_injected(drain);
	if (drain->is_switch_due && drain->clocks)
		unsampled_time_read(drain->clocks, loaded);
	sideband = drain_sideband_rings(drain);
	intake_end_sideband(drain->intake);
	if (drain->snapshot)
		snapshot_continue(drain->snapshot);
	else {
		struct event_fds *opened = drain->opened;
		size_t i;

		for (i = 0; i < opened->n_rings; i++)
			if (opened->samples[i].ring.page)
				drain_ring(drain, &opened->samples[i].ring,
					drain->heads[i]);
	}
	/*
	 * Adapt the poll timeout to the fill level, in percent, of the fullest
	 * ring buffer.
	 */
	unsigned fill = MAX(samples, sideband);

	if (fill > 25)
		drain->timeout_ms /= 2;
	else if (fill < 6)
		drain->timeout_ms *= 2;
	drain->timeout_ms = MAX(drain->timeout_ms, TIMEOUT_MIN_MS);
	drain->timeout_ms = MIN(drain->timeout_ms, TIMEOUT_MAX_MS);
	/*
	 * Limit the poll timeout and the flush interval if language runtimes
	 * need it.
	 */
	const struct runtime_pace *pace = intake_pace(drain->intake);
	struct runtime_limits limits;

	if (pace) {
		limits = runtime_pace_limits(pace);
		drain->timeout_ms = (int)MIN((uint64_t)drain->timeout_ms,
			limits.poll / NSEC_PER_MSEC);
		drain->flush_ns = MIN(drain->flush_ns, limits.flush);
	}
	if (intake_is_urgent(drain->intake))
		drain->timeout_ms = TIMEOUT_MIN_MS;
	if (is_snapshot_under_way(drain)) {
		drain->timeout_ms = TIMEOUT_MIN_MS;
		/*
		 * Flush blocks that are not full: a small queue has space for
		 * few blocks.
		 */
		intake_try_flush(drain->intake);
	}
	if (try_file_switch(drain) ||
		(loaded - drain->flushed >= drain->flush_ns &&
			intake_try_flush(drain->intake))) {
		drain->flushed = loaded;
		drain->flush_ns = MIN(2 * drain->flush_ns, FLUSH_NS);
	}
}

uint64_t drain_rounds(const struct drain *drain)
{
	return drain->rounds;
}

static bool has_pending_records(const struct drain *drain)
{
	const struct event_fds *opened = drain->opened;
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
		if (!has_pending_records(drain))
			break;
		/*
		 * Give the CPU to the writer thread, which frees space in the
		 * queue.
		 */
		if (is_snapshot_under_way(drain))
			poll(NULL, 0, TIMEOUT_MIN_MS);
	}
	intake_end_waits(drain->intake);
}

void drain_finish(struct drain *drain)
{
	drain_empty(drain);
	intake_end(drain->intake);
}

static void *run_drain(void *data)
{
	struct drain *drain = data;

	priority_raise(drain->realtime, -20);
	while (!drain->polls[0].revents) {
		drain_round(drain);
		int timeout_ms = drain->timeout_ms;
		size_t n = drain->n_polls;

		if (drain->n_quiet < QUIET_ROUNDS_MAX) {
			timeout_ms = MIN(timeout_ms, TIMEOUT_STARTING_MS);
			n = drain->n_urgent;
		}
		if (poll(drain->polls, n, timeout_ms) > 0) {
			/*
			 * Stop polling descriptors whose task has exited: they report
			 * POLLHUP for ever, although other tasks still write to their
			 * ring buffers. The poll timeout covers these ring buffers.
			 */
			size_t i;

			for (i = 1; i < drain->n_polls; i++)
				if (drain->polls[i].revents &
					(POLLHUP | POLLERR | POLLNVAL))
					drain->polls[i].fd = -1;
		}
	}
	return NULL;
}

static void add_polled_fd(struct drain *drain, int fd)
{
	drain->polls[drain->n_polls++] =
		(struct pollfd){ .fd = fd, .events = POLLIN };
}

struct error *drain_create(struct event_fds *opened, struct intake *intake,
	struct unsampled_time *clocks, struct drain **ret)
{
	int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct drain *drain;

	if (stop_fd < 0)
		return error_errno(errno, "cannot create an eventfd");
	*ret = drain = xcalloc(1, sizeof(*drain));
	drain->stop_fd = stop_fd;
	drain->opened = opened;
	drain->intake = intake;
	drain->clocks = clocks;
	drain->heads = xcalloc(opened->n_rings, sizeof(*drain->heads));
	drain->scratch = xmalloc(RECORD_SIZE_MAX + 1);
	drain->polls = xcalloc(2 * opened->n_rings + 1, sizeof(*drain->polls));
	drain->timeout_ms = TIMEOUT_MIN_MS;
	drain->flush_ns = FLUSH_FIRST_NS;
	if (opened->rings.is_backward) {
		/* OPENED and INTAKE are borrowed until drain_destroy(). */
		struct snapshot *snapshot = xcalloc(1, sizeof(*snapshot));

		snapshot->opened = opened;
		snapshot->intake = intake;
		snapshot->heads =
			xcalloc(opened->n_rings, sizeof(*snapshot->heads));
		snapshot->next = opened->n_rings;
		drain->snapshot = snapshot;
	}
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
	struct snapshot *snapshot = drain->snapshot;

	if (snapshot) {
		array_free(&snapshot->places.list);
		free(snapshot->heads);
		free(snapshot);
	}
	free(drain->heads);
	free(drain->polls);
	free(drain->scratch);
	free(drain);
}

void drain_switch_file(struct drain *drain)
{
	pthread_mutex_lock(&drain->inject_lock);
	drain->wants_switch = true;
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
	add_polled_fd(drain, drain->stop_fd);
	/* Overwritten ring buffers are always full, so they are not polled. */
	for (i = 0; i < drain->opened->n_rings && !drain->snapshot; i++)
		add_polled_fd(drain, drain->opened->samples[i].owner);
	drain->n_urgent = drain->n_polls;
	for (i = 0; i < drain->opened->n_rings; i++)
		add_polled_fd(drain, drain->opened->sideband[i].owner);
	if (drain->opened->rings.sideband_size < SIDEBAND_SIZE_LARGE)
		drain->n_urgent = drain->n_polls;
	drain->realtime = realtime;
	errnum = pthread_create(&drain->thread, NULL, run_drain, drain);
	if (errnum)
		return error_errno(errnum,
			"cannot start the thread that reads the ring buffers");
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
	/* Clear stop_fd, so that the drain thread can be started again. */
	while (read(drain->stop_fd, &taken, sizeof(taken)) < 0 &&
		errno == EINTR)
		;
	drain->is_running = false;
}
