/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/jitrules.h"

#include <sys/stat.h>

#include "common/util/clock.h"
#include "record/sys/clocks.h"

/* Maximum number of processes, each with a file descriptor. */
#define PROCESSES_MAX 256u
/* Interval at which the jitdump of a process is searched for. */
#define SEARCH_INTERVAL_NS NSEC_PER_SEC
/* Size of the table of processes that were replaced. */
#define REPLACED_PROCESSES 256u

struct jit_process_rules {
	uint32_t pid;
	struct jitcodes *codes; /* owned; NULL: no jitdump */
	uint64_t inode;		/* of the jitdump */
	uint64_t searched;	/* last search */
	uint64_t known_until;	/* samples after this time need a new reading */
	uint64_t last_sample;	/* time of the last sample */
	uint64_t version;	/* version of the rules */
};

struct jitrules {
	struct file_tracker *tracker;
	ARRAY(struct jit_process_rules) processes;
	ARRAY(struct jitcodes *) dropped; /* owned; can still be in use */
	uint64_t n_versions;
	uint64_t replaced[REPLACED_PROCESSES]; /* versions, by PID */
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

static void set_new_version(
	struct jitrules *rules, struct jit_process_rules *process)
{
	process->version = ++rules->n_versions;
}

static void replace_jitdump(struct jitrules *rules,
	struct jit_process_rules *process, int fd, uint64_t inode)
{
	drop_codes(rules, process);
	process->codes = jitcodes_create(fd);
	process->inode = inode;
	process->known_until = 0;
	set_new_version(rules, process);
}

/* Searches at intervals: after an exec, the process has another jitdump. */
static void search_jitdump(
	struct jitrules *rules, struct jit_process_rules *process, uint64_t now)
{
	struct stat file;
	int fd;

	if (process->searched && now < process->searched + SEARCH_INTERVAL_NS)
		return;
	process->searched = now;
	fd = file_tracker_open_jitdump(rules->tracker, process->pid);
	if (fd < 0)
		return;
	if (fstat(fd, &file) == 0 && file.st_ino != process->inode)
		replace_jitdump(rules, process, fd, file.st_ino);
	else
		close(fd);
}

static void read_new_codes(struct jitrules *rules,
	struct jit_process_rules *process, uint64_t time)
{
	const struct jitdump_clock clock = clocks_of_jitdumps();
	uint64_t now = clocks_now();

	if (!process->codes || time <= process->known_until)
		return;
	if (jitcodes_update(process->codes, &clock))
		set_new_version(rules, process);
	process->known_until = now;
}

static void update_process(struct jitrules *rules,
	struct jit_process_rules *process, uint64_t time)
{
	process->last_sample = MAX(process->last_sample, time);
	search_jitdump(rules, process, clock_now_ns());
	read_new_codes(rules, process, time);
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

/* Replaces the process whose last sample is the oldest. */
static struct jit_process_rules *add_process_rules(
	struct jitrules *rules, uint32_t pid)
{
	struct jit_process_rules *oldest = rules->processes.at;

	if (rules->processes.n < PROCESSES_MAX) {
		oldest = array_push(&rules->processes);
	} else {
		array_each(&rules->processes, process)
			if (process->last_sample < oldest->last_sample)
				oldest = process;
		drop_codes(rules, oldest);
		rules->replaced[oldest->pid % REPLACED_PROCESSES] =
			++rules->n_versions;
	}
	*oldest = (struct jit_process_rules){ .pid = pid };
	set_new_version(rules, oldest);
	return oldest;
}

struct jitrules_part jitrules_find(
	struct jitrules *rules, uint32_t pid, uint64_t address, uint64_t time)
{
	struct jitrules_part ret = { 0, UINT64_MAX, NULL };
	struct jit_process_rules *process = find_process_rules(rules, pid);
	struct jitcodes_part part;

	if (!process) {
		process = add_process_rules(rules, pid);
		update_process(rules, process, time);
	}
	if (!process->codes)
		return ret;
	part = jitcodes_find(process->codes, address, time);
	ret.start = part.start;
	ret.end = part.end;
	if (part.code)
		ret.cfi = jitcodes_rules(process->codes, part.code);
	return ret;
}
