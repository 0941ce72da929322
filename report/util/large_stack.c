/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/large_stack.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "common/util/base.h"

/* The usual limit of a stack, in bytes. */
#define STACK_SIZE MIB(8)

struct large_stack_call {
	void (*run)(void *data);
	void *data;
};

static void *run_on_large_stack(void *data)
{
	const struct large_stack_call *call = data;

	call->run(call->data);
	return NULL;
}

static void set_default_stack_size(void)
{
	pthread_attr_t attr;

	if (pthread_attr_init(&attr))
		return;
	if (!pthread_attr_setstacksize(&attr, STACK_SIZE))
		pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

void large_stack_run(void (*run)(void *data), void *data)
{
	struct large_stack_call call = { run, data };
	struct rlimit limit;
	pthread_t thread;
	sigset_t all;

	set_default_stack_size();
	if (getrlimit(RLIMIT_STACK, &limit) < 0 ||
		limit.rlim_cur >= STACK_SIZE ||
		pthread_create(&thread, NULL, run_on_large_stack, &call)) {
		run(data);
		return;
	}
	/* Signals interrupt the thread that runs, not the one that waits. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_join(thread, NULL);
}
