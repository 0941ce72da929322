/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the thread-local variable ruby_current_ec, which points to the
 * execution context of the current thread.
 */
#ifndef DWELL_RECORD_RUNTIMES_RUBY_RUBY_THREAD_H
#define DWELL_RECORD_RUNTIMES_RUBY_RUBY_THREAD_H

#include "record/runtimes/interface/module_symbols.h"
#include "record/runtimes/interface/runtime.h"

/*
 * Sets the hops of LIST from the thread pointer to the execution context.
 * CURRENT is the function rb_thread_current(), which reads the variable first.
 * Returns false if the function does not call __tls_get_addr(), or the dynamic
 * linker has not relocated MODULE yet.
 */
bool ruby_thread_find(const struct runtime_module *module,
	const struct module_symbol *current, struct process_memory *memory,
	struct chain_runtime *list);

#endif
