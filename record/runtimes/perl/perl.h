/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime of Perl 5.36, 5.40 and 5.42 with threads on x86-64 and with
 * glibc. Each interpreter has stacks of contexts, which are on the heap. Some
 * contexts are calls of functions.
 */
#ifndef DWELL_RECORD_RUNTIMES_PERL_PERL_H
#define DWELL_RECORD_RUNTIMES_PERL_PERL_H

#include "record/runtimes/interface/runtime.h"

extern const struct runtime_ops perl_runtime;

#endif
