/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads instruction sequences of Ruby 3.1 and 3.3: struct rb_iseq_constant_body
 * (vm_core.h) has the name, the file, and the lines.
 */
#ifndef DWELL_RECORD_RUNTIMES_RUBY_RUBY_ISEQ_H
#define DWELL_RECORD_RUNTIMES_RUBY_RUBY_ISEQ_H

#include "record/runtimes/interface/code_objects.h"

struct ruby_layout {
	const char *version; /* the beginning of ruby_version */
	uint16_t frame_size; /* rb_control_frame_t */
	/*
	 * Since 3.2, a string has its length before its characters, and the
	 * first line is an int, not an object.
	 */
	bool is_since_32;
	uint16_t lines, n_lines, index; /* in the body: insns_info */
};

/* Offset of the body in struct rb_iseq_t. */
#define RUBY_ISEQ_BODY 16u
/* Offset in the body of the pointer to the instructions. */
#define RUBY_BODY_CODE 8u
/* Offsets in the body of path, label, and first line (rb_iseq_location_t). */
#define RUBY_BODY_PATH 64u
#define RUBY_BODY_LABEL 80u
#define RUBY_BODY_FIRST_LINE 88u

/* Returns the language in which a code object is a body. LAYOUT is borrowed. */
struct code_language ruby_iseq_language(const struct ruby_layout *layout);

#endif
