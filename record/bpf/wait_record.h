/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records and maps of the BPF programs that measure how long threads are
 * off-CPU (waits.bpf.h). Included by C code and by the BPF programs.
 *
 * When a thread leaves its CPU, its stack gets a key. The stack is sent once per key, as
 * CHAIN_STACK with the frames of the kernel. A complete stack has the hash of its frames as its
 * key. Other stacks have a unique key (WAIT_KEY_UNIQUE), and CHAIN_COPY comes first.
 * When the thread runs again, CHAIN_WAIT has the key and the times; a short wait is
 * added to the sum of its thread and stack instead.
 */
#ifndef DWELL_RECORD_BPF_WAIT_RECORD_H
#define DWELL_RECORD_BPF_WAIT_RECORD_H

/* Which threads are measured. */
enum wait_scope {
	WAIT_NOTHING,
	WAIT_PROCESSES, /* threads of the processes in the map wait_targets */
	WAIT_THREADS,	/* threads in the map wait_targets */
	WAIT_ALL,
};

#define WAIT_KEY_UNIQUE (1ull << 63)
/* Limits: entries of the maps. */
#define WAIT_THREADS_MAX 32768u
#define WAIT_TARGETS_MAX 32768u
#define WAIT_STACKS_MAX 16384u
#define WAIT_SUMS_MAX 16384u
/* Which waits are added up. */
struct wait_key {
	unsigned int pid, tid;
	unsigned long long stack; /* key of the stack */
};

struct wait_times {
	unsigned long long n;
	unsigned long long blocked, runnable, preempted; /* ns */
	unsigned long long longest; /* ns, of the longest wait */
	unsigned long long end;	    /* of the last wait; CLOCK_MONOTONIC, ns */
	unsigned int cpu; /* where the thread ran after the last wait */
	unsigned int unused;
};

/* A wait that has ended, or waits that were added up. */
struct chain_wait {
	unsigned int kind; /* CHAIN_WAIT */
	unsigned int unused;
	struct wait_key key;
	struct wait_times times;
	unsigned int is_sum, is_open; /* open: the thread did not run again */
};

/* The last wait of a thread. */
struct wait_thread {
	unsigned long long out; /* when it left its CPU */
	unsigned long long
		woken; /* time of the first wakeup since, or earlier */
	unsigned long long stack; /* key of its stack; 0: none */
	unsigned int pid, cpu;
	unsigned int is_off, is_preempted;
};

/*
 * Sets TIMES to those of one wait of THREAD, which ends at NOW: blocked until the first
 * wakeup, then runnable; or preempted.
 */
static inline void wait_set_times(const struct wait_thread *thread,
	unsigned long long now, unsigned int cpu, struct wait_times *times)
{
	unsigned long long out = thread->out, woken = thread->woken;

	times->n = 1;
	times->end = now;
	times->cpu = cpu;
	times->longest = now - out;
	if (thread->is_preempted)
		times->preempted = now - out;
	else if (woken < out || woken > now)
		times->blocked = now - out;
	else
		times->blocked = woken - out;
	times->runnable = now - out - times->blocked - times->preempted;
}

/* Counts per CPU; all members are counts. */
struct wait_counts {
	unsigned long long waits;
	unsigned long long sent, added; /* of these: alone, in sums */
	unsigned long long
		no_thread; /* waits of threads beyond WAIT_THREADS_MAX */
	unsigned long long no_target; /* processes beyond WAIT_TARGETS_MAX */
	unsigned long long no_room;   /* waits without room in rings and sums */
	unsigned long long unended; /* waits without a switch that ended them */
	unsigned long long no_stack; /* stacks for which there was no room */
};

#endif
