/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime of Ruby 3.1 and 3.3 on x86-64, if the interpreter is in a
 * library. The frames of Ruby are structs rb_control_frame_t on a stack of
 * their own, which grows down.
 */
#ifndef DWELL_RECORD_RUNTIMES_RUBY_RUBY_H
#define DWELL_RECORD_RUNTIMES_RUBY_RUBY_H

#include "record/runtimes/interface/runtime.h"

extern const struct runtime_ops ruby_runtime;

#endif
