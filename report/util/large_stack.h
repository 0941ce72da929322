/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of a fixed size, independent of `ulimit -s`: libdw keeps thousands of
 * rows of a line table on the stack.
 */
#ifndef DWELL_REPORT_UTIL_LARGE_STACK_H
#define DWELL_REPORT_UTIL_LARGE_STACK_H

/*
 * Calls RUN(DATA), in a thread if the stack of this thread is too small, and
 * returns when it has ended. All threads that are created later have a large
 * stack, too. Call this function once, before there are other threads.
 */
void large_stack_run(void (*run)(void *data), void *data);

#endif
