/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/jitrules.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/hash.h"
#include "record/sys/clocks.h"
#include "record/sys/timed_worker.h"

/* Maximum number of processes, each with a file descriptor. */
#define PROCESSES_MAX 256u
/* Interval at which the jitdump of a process is searched for. */
#define SEARCH_INTERVAL_NS NSEC_PER_SEC
/* Size of the table of processes that were removed from .processes. */
#define REPLACED_PROCESSES 256u

struct jit_process_rules {
	uint32_t pid;
	struct jitcodes *codes; /* owned; NULL: no jitdump */
	uint64_t inode;		/* of the jitdump */
	uint64_t searched;	/* time of the last search for a jitdump */
	uint64_t known_until;	/* later samples need a new reading */
	uint64_t last_sample;	/* time of the last sample */
	uint64_t version;	/* changes with the unwind rules */
};

struct jitrules {
	struct file_tracker *tracker;
	ARRAY(struct jit_process_rules) processes;
	ARRAY(struct jitcodes *) dropped; /* owned; can still be in use */
	uint64_t n_versions;
	uint64_t replaced[REPLACED_PROCESSES]; /* version, by replaced PID */
};

struct jitrules *jitrules_create(struct file_tracker *tracker)
{
	struct jitrules *rules = xcalloc(1, sizeof(*rules));

	rules->tracker = tracker;
	return rules;
}

void jitrules_destroy(struct jitrules *rules)
{
	if (!rules)
		return;
	array_each(&rules->processes, process)
		jitcodes_destroy(process->codes);
	array_free(&rules->processes);
	jitrules_settle(rules);
	array_free(&rules->dropped);
	free(rules);
}

static struct jit_process_rules *find_process_rules(
	struct jitrules *rules, uint32_t pid)
{
	array_each(&rules->processes, process)
		if (process->pid == pid)
			return process;
	return NULL;
}

void jitrules_settle(struct jitrules *rules)
{
	array_each(&rules->dropped, codes)
		jitcodes_destroy(*codes);
	rules->dropped.n = 0;
}

static void drop_codes(
	struct jitrules *rules, struct jit_process_rules *process)
{
	if (process->codes)
		*array_push(&rules->dropped) = take_pointer(process->codes);
}

static void update_process(struct jitrules *rules,
	struct jit_process_rules *process, uint64_t time)
{
	uint64_t now = clock_now_ns();
	struct jitdump_clock clock;
	struct stat file;
	int fd;

	process->last_sample = MAX(process->last_sample, time);
	/* Search at intervals: after an exec, the process has another jitdump. */
	if (!process->searched ||
		now >= process->searched + SEARCH_INTERVAL_NS) {
		process->searched = now;
		fd = file_tracker_open_jitdump(rules->tracker, process->pid);
		if (fd >= 0 && fstat(fd, &file) == 0 &&
			file.st_ino != process->inode) {
			drop_codes(rules, process);
			process->codes = jitcodes_create(fd);
			process->inode = file.st_ino;
			process->known_until = 0;
			process->version = ++rules->n_versions;
		} else if (fd >= 0) {
			close(fd);
		}
	}
	clock = clocks_of_jitdumps();
	now = clocks_now();
	if (!process->codes || time <= process->known_until)
		return;
	if (jitcodes_update(process->codes, &clock))
		process->version = ++rules->n_versions;
	process->known_until = now;
}

uint64_t jitrules_version(struct jitrules *rules, uint32_t pid, uint64_t time)
{
	struct jit_process_rules *process = find_process_rules(rules, pid);

	if (!process)
		return rules->replaced[pid % REPLACED_PROCESSES];
	update_process(rules, process, time);
	return process->codes ? process->version * JITCODES_MAX * 2 +
			jitcodes_count(process->codes, time)
			      : process->version;
}

static struct jit_process_rules *open_process_rules(
	struct jitrules *rules, uint32_t pid, uint64_t time)
{
	struct jit_process_rules *process = find_process_rules(rules, pid);

	if (process)
		return process;
	/* If there are too many processes, replace the least recent. */
	process = rules->processes.at;
	if (rules->processes.n < PROCESSES_MAX) {
		process = array_push(&rules->processes);
	} else {
		array_each(&rules->processes, other)
			if (other->last_sample < process->last_sample)
				process = other;
		drop_codes(rules, process);
		rules->replaced[process->pid % REPLACED_PROCESSES] =
			++rules->n_versions;
	}
	*process = (struct jit_process_rules){ .pid = pid,
		.version = ++rules->n_versions };
	update_process(rules, process, time);
	return process;
}

bool jitrules_has_dump(struct jitrules *rules, uint32_t pid, uint64_t time)
{
	return open_process_rules(rules, pid, time)->codes;
}

struct jitrules_part jitrules_find(
	struct jitrules *rules, uint32_t pid, uint64_t address, uint64_t time)
{
	struct jitrules_part ret = { 0, UINT64_MAX, NULL };
	struct jit_process_rules *process =
		open_process_rules(rules, pid, time);
	struct jitcodes_part part;

	if (!process->codes)
		return ret;
	part = jitcodes_find(process->codes, address, time);
	ret.start = part.start;
	ret.end = part.end;
	if (part.code)
		ret.cfi = jitcodes_rules(process->codes, part.code);
	return ret;
}

#define PIECES 512u
#define PIECE_STEP JITRULES_LIVE_MAX
/* A request that starts in the first half of a piece ends inside the piece. */
#define PIECE_SIZE (2 * PIECE_STEP)
/* A piece is read again after this time: JIT compilers reuse addresses. */
#define PIECE_LIFE_NS (NSEC_PER_SEC / 2)
/*
 * A piece is also read again at the first request for each of its lines: code
 * that was compiled after the last reading is not in the piece. Compilers align
 * functions, and hardly ever two of them share a line.
 */
#define PIECE_LINE 64u
#define READ_TIMEOUT_MS 1000u

struct jitrules_piece {
	uint32_t pid;
	uint64_t address; /* address of the first byte */
	uint64_t read_ns; /* time of the last reading; 0: never read */
	uint64_t lines;	  /* a bit for each line that was requested */
	size_t size;
	uint8_t *bytes; /* owned; PIECE_SIZE bytes */
};

struct jitrules_live {
	struct timed_worker *worker;
	struct jitrules_piece pieces[PIECES];
};

struct jitrules_reading {
	struct timed_job job;
	uint32_t pid;
	uint64_t address;
	size_t size;
	bool is_gone; /* the process has ended */
	uint8_t bytes[PIECE_SIZE];
};

struct jitrules_live *jitrules_live_create(void)
{
	struct jitrules_live *live_code = xcalloc(1, sizeof(*live_code));

	live_code->worker = timed_worker_create(READ_TIMEOUT_MS);
	return live_code;
}

void jitrules_live_destroy(struct jitrules_live *live_code)
{
	size_t i;

	if (!live_code)
		return;
	for (i = 0; i < PIECES; i++)
		free(live_code->pieces[i].bytes);
	timed_worker_destroy(live_code->worker);
	free(live_code);
}

/* Reads in two halves, because the second half may not be mapped. */
static void read_code_piece(struct timed_job *job)
{
	struct jitrules_reading *own = (struct jitrules_reading *)job;
	struct iovec ours = { own->bytes, PIECE_SIZE };
	const struct iovec theirs[] = {
		{ (void *)(uintptr_t)own->address, PIECE_STEP },
		{ (void *)(uintptr_t)(own->address + PIECE_STEP), PIECE_STEP },
	};
	ssize_t n = process_vm_readv(
		(pid_t)own->pid, &ours, 1, theirs, ARRAY_SIZE(theirs), 0);

	own->size = n > 0 ? (size_t)n : 0;
	own->is_gone = n < 0 && errno == ESRCH;
}

static void free_reading(struct timed_job *job)
{
	free(job);
}

/* Returns the piece at ADDRESS that is valid for the line at AT bytes in it. */
static const struct jitrules_piece *find_code_piece(
	struct jitrules_live *live_code, uint32_t pid, uint64_t address,
	size_t at)
{
	struct jitrules_piece *piece =
		&live_code->pieces[hash_words(address, pid) % PIECES];
	bool is_known = piece->pid == pid && piece->address == address;
	uint64_t line = UINT64_C(1) << (at / PIECE_LINE);

	if (is_known && piece->read_ns && piece->lines & line &&
		clock_now_ns() - piece->read_ns < PIECE_LIFE_NS)
		return piece;
	if (!is_known)
		piece->size = piece->lines = 0;
	piece->pid = pid;
	piece->address = address;
	piece->lines |= line;
	/*
	 * Read the piece again. If the process has ended, keep the last
	 * contents.
	 */
	struct jitrules_reading *reading = xcalloc(1, sizeof(*reading));
	size_t last = piece->size;
	piece->size = 0;
	piece->read_ns = clock_now_ns();
	reading->job = (struct timed_job){ read_code_piece, free_reading };
	reading->pid = piece->pid;
	reading->address = piece->address;
	if (timed_worker_run(live_code->worker, &reading->job)) {
		if (!piece->bytes)
			piece->bytes = xmalloc(PIECE_SIZE);
		memcpy(piece->bytes, reading->bytes, reading->size);
		piece->size = reading->is_gone ? last : reading->size;
		free_reading(&reading->job);
	}
	return piece;
}

size_t jitrules_live_read(struct jitrules_live *live_code, uint32_t pid,
	uint64_t address, uint8_t *bytes, size_t size)
{
	uint64_t start = address / PIECE_STEP * PIECE_STEP;
	size_t at = address - start;
	const struct jitrules_piece *piece =
		find_code_piece(live_code, pid, start, at);

	if (piece->size <= at)
		return 0;
	size = MIN(size, (size_t)JITRULES_LIVE_MAX);
	size = MIN(size, piece->size - at);
	memcpy(bytes, piece->bytes + at, size);
	return size;
}
