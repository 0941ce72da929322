/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF, as far as it names functions: linux/btf.h and the kernel's
 * Documentation/bpf/btf.rst. Whoever prints BPF programs asks.
 */
#ifndef DWELL_COMMON_ELF_BTF_H
#define DWELL_COMMON_ELF_BTF_H

#include "common/util/array.h"
#include "common/util/bytes.h"

struct btf {
	ARRAY(uint32_t) names; /* of each type, from 1: places in .strings */
	struct bytes strings;  /* borrowed */
};

/* B is a whole BTF, borrowed as long as RET is used; what is damaged ends it. */
void btf_read(struct bytes b, struct btf *ret);
/* Of type TYPE, borrowed; NULL if there is no such type, or it has no name. */
const char *btf_name(const struct btf *btf, uint32_t type);
void btf_deinit(struct btf *btf);

#endif
