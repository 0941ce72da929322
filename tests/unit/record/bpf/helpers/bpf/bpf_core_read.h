/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for libbpf's header of this name: members of made kernel structures are read
 * directly.
 */
#ifndef DWELL_TESTS_BPF_CORE_READ_H
#define DWELL_TESTS_BPF_CORE_READ_H

#define CORE_READ_1(from, a) ((from)->a)
#define CORE_READ_2(from, a, b) ((from)->a->b)
#define CORE_READ_PICK(a, b, pick, ...) pick
#define BPF_CORE_READ(from, ...)                                    \
	CORE_READ_PICK(__VA_ARGS__, CORE_READ_2, CORE_READ_1, none) \
	(from, __VA_ARGS__)

/* The made kernel has the members of Linux 6.13. */
#define bpf_core_field_exists(field) ((void)sizeof(field), 1)

#endif
