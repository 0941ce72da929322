/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single values of a sample in perf script's layout, which need to know of
 * nothing but themselves.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_VALUE_H
#define DWELL_REPORT_SCRIPT_SCRIPT_VALUE_H

#include "common/unwind/registers.h"
#include "common/util/strbuf.h"

/* "K" for MISC_KERNEL, and so on; "" for what is no mode. */
const char *script_value_mode(uint8_t cpumode);

/*
 * Those of weight, ins_lat and retire_lat that are among FIELDS
 * (script_field.h). IS_STRUCT: WEIGHT is a union perf_sample_weight.
 */
void script_value_weight(uint32_t fields, bool is_struct, uint64_t weight,
	struct strbuf *out);

/* SIZE in bytes: " 4K"; " N/A" for 0. */
void script_value_page_size(uint64_t size, struct strbuf *out);

struct script_registers {
	uint64_t mask, abi;    /* which there are; PERF_SAMPLE_REGS_ABI_* */
	const uint8_t *values; /* u64 for each bit of mask; NULL: none */
};
/* " ABI:2    AX:0x1    BX:0x2 "; nothing without values. */
void script_value_registers(const struct registers *registers,
	const struct script_registers *set, struct strbuf *out);

#endif
