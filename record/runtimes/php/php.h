/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime of PHP 8.2 and 8.4 on x86-64, without thread safety (NTS) and without JIT
 * compiler. The frames of PHP are structs zend_execute_data on the heap.
 */
#ifndef DWELL_RECORD_RUNTIMES_PHP_PHP_H
#define DWELL_RECORD_RUNTIMES_PHP_PHP_H

#include "record/runtimes/interface/runtime.h"

extern const struct runtime_ops php_runtime;

#endif
