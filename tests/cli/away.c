/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures its own off-CPU time, and prints it in ns.
 *
 *	away sleep MS N		sleeps N times for MS in rest()
 *	away lock MS		a thread waits MS for a mutex in wait_for_lock()
 *	away spin MS		uses MS of CPU time in spin(); prints the time
 *				waited for a CPU meanwhile, from the kernel
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define NS_PER_MS 1000000LL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) static void rest(long long ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	while (nanosleep(&t, &t) != 0)
		;
	__asm__ volatile("");
}

__attribute__((noinline)) static void wait_for_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	__asm__ volatile("");
}

__attribute__((noinline)) static void spin(long long ns)
{
	long long end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 10000; i++)
			;
}

static void *waiter(void *data)
{
	prctl(PR_SET_NAME, "waiter");
	wait_for_lock();
	return data;
}

static void lock_out(long long ns)
{
	pthread_t thread;

	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, waiter, NULL);
	rest(ns);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
}

/* Returns the ns in a run queue: the second number of schedstat (proc(5)). */
static long long queued(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	long long ran, waited = -1;

	if (file && fscanf(file, "%lld %lld", &ran, &waited) != 2)
		waited = -1;
	if (file)
		fclose(file);
	return waited;
}

int main(int argc, char **argv)
{
	long long ns = argc > 2 ? atoll(argv[2]) * NS_PER_MS : 0;
	int n = argc > 3 ? atoi(argv[3]) : 1;
	long long start;

	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "sleep") == 0) {
		while (n--)
			rest(ns);
	} else if (strcmp(argv[1], "lock") == 0) {
		lock_out(ns);
	} else {
		start = queued();
		spin(ns);
		printf("%lld\n", start < 0 ? start : queued() - start);
	}
	return 0;
}
