/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/interface/process_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "record/runtimes/interface/blocked_processes.h"
#include "record/sys/tasks.h"
#include "record/sys/timed_worker.h"

#define PAGE_SIZE 4096u
/* The number of kept pages is a power of two. */
#define PAGES 256u
/* Each full CALL_BYTES of a read count as one more system call. */
#define CALL_BYTES KIB(64)

/*
 * Reads pages in another thread: a process can block a reader of its memory for ever
 * (userfaultfd(2)). After a timeout, the thread writes to the job only.
 */
struct read_job {
	struct timed_job job;
	pid_t pid;
	unsigned n; /* number of ranges */
	struct iovec ranges[PAGES];
	size_t size, n_read; /* bytes of all ranges, and bytes that were read */
	int errnum;
	uint8_t bytes[PAGES * PAGE_SIZE];
};

/* A thread that reads, and its job. */
struct page_reader {
	struct timed_worker *worker; /* owned; NULL until the first read */
	unsigned limit_ms;	     /* of .worker */
	struct read_job *job;	     /* owned; NULL: a read timed out */
	struct page_reader *next;
};

/*
 * The readers that are not in use. All processes share the readers, so that there are at
 * most as many readers as threads that read at the same time.
 */
static struct {
	pthread_mutex_t lock; /* guards the following members */
	struct page_reader *first;
	size_t n_users; /* number of struct process_memory */
} idle_readers = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* .bytes is owned, and NULL if the element is empty. */
struct kept_page {
	uint64_t address;
	bool is_valid; /* .bytes were read in this batch */
	bool is_used;  /* the page was used in this batch */
	uint8_t *bytes;
};

struct process_memory {
	uint32_t pid, user;
	enum blocked_reason blocked; /* why the last read was left out */
	unsigned calls_left, reads_left;
	uint64_t n_calls;
	bool is_gone;	 /* the process has ended */
	bool is_hanging; /* a read timed out */
	bool is_settled; /* the kept pages have to be read again */
	struct kept_page pages[PAGES];
};

/* --- readers -------------------------------------------------------------- */

static void run_read_job(struct timed_job *job)
{
	struct read_job *own = (struct read_job *)job;
	struct iovec ours = { own->bytes, own->size };
	ssize_t n =
		process_vm_readv(own->pid, &ours, 1, own->ranges, own->n, 0);

	own->errnum = n < 0 ? errno : 0;
	own->n_read = n < 0 ? 0 : (size_t)n;
}

static void free_read_job(struct timed_job *job)
{
	free(job);
}

static struct page_reader *create_reader(void)
{
	struct page_reader *reader = xcalloc(1, sizeof(*reader));

	reader->job = xcalloc(1, sizeof(*reader->job));
	reader->job->job = (struct timed_job){ run_read_job, free_read_job };
	return reader;
}

static void destroy_reader(struct page_reader *reader)
{
	timed_worker_destroy(reader->worker);
	free(reader->job);
	free(reader);
}

/* Returns a reader with an empty job for the process of MEMORY. */
static struct page_reader *take_reader(const struct process_memory *memory)
{
	struct page_reader *reader;

	pthread_mutex_lock(&idle_readers.lock);
	reader = idle_readers.first;
	if (reader)
		idle_readers.first = reader->next;
	pthread_mutex_unlock(&idle_readers.lock);
	if (!reader)
		reader = create_reader();
	reader->job->pid = (pid_t)memory->pid;
	reader->job->n = 0;
	reader->job->size = reader->job->n_read = 0;
	return reader;
}

static void return_reader(struct page_reader *reader)
{
	if (!reader->job) {
		destroy_reader(reader);
		return;
	}
	pthread_mutex_lock(&idle_readers.lock);
	reader->next = idle_readers.first;
	idle_readers.first = reader;
	pthread_mutex_unlock(&idle_readers.lock);
}

static void add_range(struct page_reader *reader, uint64_t address, size_t size)
{
	struct read_job *job = reader->job;

	job->ranges[job->n++] =
		(struct iovec){ (void *)(uintptr_t)address, size };
	job->size += size;
}

/*
 * Returns whether the process of MEMORY may be read, and prepares the worker of READER
 * with the time limit of the read.
 */
static bool may_read(struct process_memory *memory, struct page_reader *reader)
{
	unsigned limit_ms;

	memory->blocked =
		blocked_processes_check(memory->pid, memory->user, &limit_ms);
	if (memory->blocked != BLOCKED_NOT)
		return false;
	if (limit_ms != reader->limit_ms) {
		timed_worker_destroy(reader->worker);
		reader->worker = timed_worker_create(limit_ms);
		reader->limit_ms = limit_ms;
	}
	return true;
}

/* Reads the ranges of READER. Returns the number of bytes that were read. */
static size_t run_reader(
	struct process_memory *memory, struct page_reader *reader)
{
	struct read_job *job = reader->job;
	unsigned cost = 1 + (unsigned)(job->size / CALL_BYTES);
	uint64_t start;

	if (cost > memory->calls_left || !may_read(memory, reader))
		return 0;
	memory->calls_left -= cost;
	memory->n_calls++;
	start = clock_now_ns();
	if (!timed_worker_run(reader->worker, &job->job)) {
		reader->job = NULL;
		memory->is_hanging = true;
		/* Otherwise the thread of the reader could not be created. */
		if (clock_now_ns() - start >=
			reader->limit_ms * NSEC_PER_MSEC) {
			memory->blocked = BLOCKED_PROCESS;
			blocked_processes_add(memory->pid, memory->user);
		}
		return 0;
	}
	memory->is_gone = job->errnum == ESRCH;
	return job->n_read;
}

/* --- pages ---------------------------------------------------------------- */

struct process_memory *process_memory_create(uint32_t pid)
{
	struct process_memory *memory = xcalloc(1, sizeof(*memory));

	memory->pid = pid;
	if (!task_user((pid_t)pid, &memory->user))
		memory->user = UINT32_MAX;
	process_memory_allow_calls(memory);
	pthread_mutex_lock(&idle_readers.lock);
	idle_readers.n_users++;
	pthread_mutex_unlock(&idle_readers.lock);
	return memory;
}

static void free_page(struct kept_page *page)
{
	free(page->bytes);
	*page = (struct kept_page){ 0 };
}

void process_memory_destroy(struct process_memory *memory)
{
	struct page_reader *readers = NULL;

	if (!memory)
		return;
	process_memory_forget(memory);
	free(memory);
	pthread_mutex_lock(&idle_readers.lock);
	if (!--idle_readers.n_users)
		readers = take_pointer(idle_readers.first);
	pthread_mutex_unlock(&idle_readers.lock);
	while (readers) {
		struct page_reader *next = readers->next;

		destroy_reader(readers);
		readers = next;
	}
}

void process_memory_settle(struct process_memory *memory)
{
	size_t i;

	for (i = 0; i < PAGES; i++) {
		struct kept_page *page = &memory->pages[i];

		if (!page->is_used)
			free_page(page);
		page->is_valid = page->is_used = false;
	}
	memory->is_settled = true;
}

void process_memory_forget(struct process_memory *memory)
{
	size_t i;

	for (i = 0; i < PAGES; i++)
		free_page(&memory->pages[i]);
}

void process_memory_allow_calls(struct process_memory *memory)
{
	memory->calls_left = PROCESS_MEMORY_CALLS_MAX;
	memory->reads_left = PROCESS_MEMORY_READS_MAX;
}

bool process_memory_spend(struct process_memory *memory, size_t n)
{
	bool is_left = n <= memory->reads_left;

	memory->reads_left -= is_left ? (unsigned)n : memory->reads_left;
	return is_left;
}

static void keep_page(
	struct kept_page *page, uint64_t address, const uint8_t *bytes)
{
	if (!page->bytes)
		page->bytes = xmalloc(PAGE_SIZE);
	memcpy(page->bytes, bytes, PAGE_SIZE);
	page->address = address;
	page->is_valid = true;
}

/*
 * Reads the kept pages again, in one system call. The call ends at the first page that
 * cannot be read. The other pages are read when they are needed.
 */
static void read_kept_pages(struct process_memory *memory)
{
	struct page_reader *reader = take_reader(memory);
	size_t i, at = 0, n;

	for (i = 0; i < PAGES; i++)
		if (memory->pages[i].bytes)
			add_range(reader, memory->pages[i].address, PAGE_SIZE);
	n = reader->job->n ? run_reader(memory, reader) : 0;
	for (i = 0; i < PAGES && n - at >= PAGE_SIZE; i++) {
		struct kept_page *page = &memory->pages[i];

		if (!page->bytes)
			continue;
		keep_page(page, page->address, reader->job->bytes + at);
		at += PAGE_SIZE;
	}
	return_reader(reader);
}

static void read_page(
	struct process_memory *memory, struct kept_page *page, uint64_t address)
{
	struct page_reader *reader = take_reader(memory);

	add_range(reader, address, PAGE_SIZE);
	if (run_reader(memory, reader) == PAGE_SIZE)
		keep_page(page, address, reader->job->bytes);
	return_reader(reader);
}

/*
 * Returns the page at ADDRESS, a multiple of PAGE_SIZE, or NULL if the page cannot be
 * read.
 */
static const struct kept_page *find_page(
	struct process_memory *memory, uint64_t address)
{
	struct kept_page *page =
		&memory->pages[(address / PAGE_SIZE) & (PAGES - 1)];

	if (!address || memory->is_hanging)
		return NULL;
	if (memory->is_settled) {
		memory->is_settled = false;
		read_kept_pages(memory);
	}
	if (page->address != address || !page->is_valid) {
		free_page(page);
		if (!memory->is_hanging)
			read_page(memory, page, address);
		if (!page->is_valid)
			return NULL;
	}
	page->is_used = true;
	return page;
}

static bool read_pages(struct process_memory *memory, uint64_t address,
	uint8_t *out, size_t size)
{
	while (size) {
		uint64_t in_page = address % PAGE_SIZE;
		size_t n = MIN(size, (size_t)(PAGE_SIZE - in_page));
		const struct kept_page *page =
			find_page(memory, address - in_page);

		if (!page)
			return false;
		memcpy(out, page->bytes + in_page, n);
		address += n;
		out += n;
		size -= n;
	}
	return true;
}

/* Reads a large range. Its pages are not kept. */
static bool read_range(struct process_memory *memory, uint64_t address,
	uint8_t *out, size_t size)
{
	while (size && !memory->is_hanging) {
		struct page_reader *reader = take_reader(memory);
		size_t n = MIN(size, (size_t)PAGES * PAGE_SIZE);
		bool is_read;

		add_range(reader, address, n);
		is_read = run_reader(memory, reader) == n;
		if (is_read)
			memcpy(out, reader->job->bytes, n);
		return_reader(reader);
		if (!is_read)
			return false;
		address += n;
		out += n;
		size -= n;
	}
	return !size;
}

bool process_memory_read(
	struct process_memory *memory, uint64_t address, void *out, size_t size)
{
	if (size > PROCESS_MEMORY_READ_MAX || address + size < address ||
		!process_memory_spend(memory, 1))
		return false;
	return size > 2 * PAGE_SIZE ? read_range(memory, address, out, size)
				    : read_pages(memory, address, out, size);
}

/* Reads a number of SIZE bytes, or sets it to 0. */
static bool read_number(
	struct process_memory *memory, uint64_t address, void *ret, size_t size)
{
	if (process_memory_read(memory, address, ret, size))
		return true;
	memset(ret, 0, size);
	return false;
}

bool process_memory_u64(
	struct process_memory *memory, uint64_t address, uint64_t *ret)
{
	return read_number(memory, address, ret, sizeof(*ret));
}

bool process_memory_u32(
	struct process_memory *memory, uint64_t address, uint32_t *ret)
{
	return read_number(memory, address, ret, sizeof(*ret));
}

bool process_memory_u16(
	struct process_memory *memory, uint64_t address, uint16_t *ret)
{
	return read_number(memory, address, ret, sizeof(*ret));
}

bool process_memory_u8(
	struct process_memory *memory, uint64_t address, uint8_t *ret)
{
	return read_number(memory, address, ret, sizeof(*ret));
}

bool process_memory_text(
	struct process_memory *memory, uint64_t address, char *out, size_t room)
{
	size_t n = 0;

	while (n < room) {
		size_t part = MIN(room - n,
			(size_t)(PAGE_SIZE - (address + n) % PAGE_SIZE));

		if (!process_memory_read(memory, address + n, out + n, part))
			return false;
		if (memchr(out + n, '\0', part))
			return true;
		n += part;
	}
	return false;
}

uint64_t process_memory_calls(const struct process_memory *memory)
{
	return memory->n_calls;
}

bool process_memory_is_gone(const struct process_memory *memory)
{
	return memory->is_gone;
}

const char *process_memory_blocked(const struct process_memory *memory)
{
	switch (memory->blocked) {
	case BLOCKED_NOT: break;
	case BLOCKED_PROCESS: return "it blocks readers of its memory";
	case BLOCKED_USER:
		return "too many processes of its user block readers of their "
		       "memory";
	case BLOCKED_ALL:
		return "too many processes block readers of their memory";
	}
	return NULL;
}
