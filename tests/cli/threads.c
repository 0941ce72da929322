/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes threads for `dwell record -p` to attach to.
 *
 *	threads idle N		N threads that sleep, each with its own name
 *	threads grow SECONDS	creates threads for SECONDS
 *
 * Prints "ready" when it has started, "grown" when the last thread is created.
 * On SIGUSR1 each thread touches PAGES new pages in touch_pages(), each once;
 * then the number of threads is printed, and the process exits.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define PAGES 16
#define THREADS_MAX 5000

static pthread_barrier_t done;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static char *fresh[THREADS_MAX];

/* Causes one page fault per page. The tests count samples in this function. */
__attribute__((noinline)) void touch_pages(char *pages)
{
	int i;

	for (i = 0; i < PAGES; i++)
		((volatile char *)pages)[i * 4096] = 1;
}

static void *run(void *data)
{
	long number = (long)data;
	char name[16];

	snprintf(name, sizeof(name), "thread-%ld", number);
	prctl(PR_SET_NAME, name);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	touch_pages(fresh[number]);
	pthread_barrier_wait(&done);
	return NULL;
}

static int start(long number)
{
	pthread_attr_t attr;
	pthread_t thread;

	fresh[number] = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(fresh[number], PAGES * 4096, MADV_NOHUGEPAGE);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	return pthread_create(&thread, &attr, run, (void *)number);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long grow(double seconds)
{
	const struct timespec pause = { 0, 200000 };
	double end = now() + seconds;
	long n;

	printf("ready\n");
	fflush(stdout);
	for (n = 0; n < THREADS_MAX && now() < end; n++) {
		if (start(n))
			break;
		nanosleep(&pause, NULL);
	}
	printf("grown\n");
	fflush(stdout);
	return n;
}

static long idle(long wanted)
{
	long n;

	for (n = 0; n < wanted && n < THREADS_MAX; n++)
		if (start(n))
			break;
	printf("ready\n");
	fflush(stdout);
	return n;
}

int main(int argc, char **argv)
{
	sigset_t signals;
	int signal;
	long n;

	if (argc != 3)
		return 2;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	pthread_mutex_lock(&gate);
	n = strcmp(argv[1], "grow") == 0 ? grow(atof(argv[2]))
					 : idle(atol(argv[2]));
	sigwait(&signals, &signal);
	pthread_barrier_init(&done, NULL, (unsigned)n + 1);
	pthread_mutex_unlock(&gate);
	pthread_barrier_wait(&done);
	printf("%ld\n", n);
	return 0;
}
