/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the type names of BTF (linux/btf.h and the kernel's
 * Documentation/bpf/btf.rst), which the names of BPF functions come from. All
 * other type information is skipped.
 */
#ifndef DWELL_COMMON_ELF_BTF_H
#define DWELL_COMMON_ELF_BTF_H

#include "common/util/array.h"
#include "common/util/bytes.h"

struct btf {
	ARRAY(uint32_t) names; /* offset in .strings; type N has index N - 1 */
	struct bytes strings;  /* borrowed */
};

/*
 * Reads B, the complete BTF. The bytes are borrowed as long as RET is used.
 * Types behind damaged data are skipped.
 */
void btf_read(struct bytes b, struct btf *ret);
/*
 * Returns the name of type TYPE, borrowed, or NULL if there is no such type or
 * the type has no name.
 */
const char *btf_name(const struct btf *btf, uint32_t type);
void btf_deinit(struct btf *btf);

#endif
