/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of a made stack of a 64-bit program: its ip and sp. */
#ifndef DWELL_TESTS_MADE_REGISTERS_H
#define DWELL_TESTS_MADE_REGISTERS_H

#include "record/bpf/chain_record.h"

/* The bits of sp and ip in sample_regs_user, and chain_record.registers. */
#ifdef CHAIN_AARCH64
#define SP_AND_IP (UINT64_C(1) << 31 | UINT64_C(1) << 32)
#define MADE_REGISTERS                      \
	{                                   \
		[31] = 0x7ff0, [32] = 0xabc \
	}
#else
#define SP_AND_IP (UINT64_C(1) << 7 | UINT64_C(1) << 8)
#define MADE_REGISTERS                                   \
	{                                                \
		[16] = 0xabc, [17] = 0x33, [19] = 0x7ff0 \
	}
#endif

#endif
