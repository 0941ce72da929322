/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes stacks as the options --focus, --drop, --merge-fn,
 * --collapse-recursion, --collapse-dso, --hide-glue, --lang-frames and
 * --inline-self require, one stack at a time. Input and output are numbers of
 * locations. The module does not add up stacks that become equal.
 */
#ifndef DWELL_REPORT_TRANSFORM_TRANSFORM_H
#define DWELL_REPORT_TRANSFORM_TRANSFORM_H

#include "report/resolve/resolve.h"
#include "report/util/transform_list.h"

/* A stack, as locations. */
struct transform_path {
	uint32_t sampled; /* the function to which the own time belongs */
	/*
	 * The call chain with inlined functions, the innermost first. Without a
	 * call chain, .sampled is the whole stack. .sampled is not in .frames
	 * if the call chain of the sample does not contain the sampled code.
	 */
	ARRAY(uint32_t) frames;
};

struct transformer;

/*
 * LIST and RESOLVER are borrowed. With IS_INLINE_SELF, own time first moves to
 * the innermost function that is inlined at the sampled address.
 */
struct transformer *transformer_create(struct resolver *resolver,
	const struct transform_list *list, bool is_inline_self);
/* TRANSFORMER may be NULL. */
void transformer_destroy(struct transformer *transformer);
/*
 * Changes PATH. Returns false if the sample must be left out; PATH is then
 * undefined. Locations can be added to the resolver.
 */
bool transformer_apply(
	struct transformer *transformer, struct transform_path *path);

/* Returns whether TRANSFORM names the function or the DSO of LOCATION. */
bool transform_matches(struct resolver *resolver,
	const struct transform *transform, uint32_t location);

#endif
