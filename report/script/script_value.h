/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats numbers and other values of a sample in the layout of perf script. */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_VALUE_H
#define DWELL_REPORT_SCRIPT_SCRIPT_VALUE_H

#include "common/unwind/registers.h"
#include "common/util/strbuf.h"

/* Returns the letter of a CPU mode, "K" for MISC_KERNEL, or "". */
const char *script_value_mode(uint8_t cpumode);

/*
 * Appends the fields weight, ins_lat and retire_lat, if FIELDS (script_field.h)
 * selects them, to OUT. If IS_STRUCT, WEIGHT is a union perf_sample_weight;
 * otherwise WEIGHT is one number.
 */
void script_value_weight(
	uint32_t fields, bool is_struct, uint64_t weight, struct strbuf *out);

/* Appends SIZE, in bytes: " 4K", or " N/A" for 0. */
void script_value_page_size(uint64_t size, struct strbuf *out);

struct script_registers {
	uint64_t mask, abi;    /* bits of the recorded registers;
				  PERF_SAMPLE_REGS_ABI_* */
	const uint8_t *values; /* u64 for each bit of mask, or NULL */
};
/*
 * Appends the ABI and the registers in SET, each name right-aligned in 5
 * columns: " ABI:2    AX:0x1 ". Appends nothing if SET has no values.
 */
void script_value_registers(const struct registers *registers,
	const struct script_registers *set, struct strbuf *out);

/*
 * Appends VALUE to OUT, right-aligned in at least WIDTH columns. dwell script
 * prints several numbers per sample; printf takes three times as long as the
 * script_number_put functions.
 */
void script_number_put(struct strbuf *out, uint64_t value, size_t width);
/*
 * Appends ID (a PID or TID, which can be -1) to OUT, right-aligned in at least
 * WIDTH columns.
 */
void script_number_put_id(struct strbuf *out, uint32_t id, size_t width);
/*
 * Appends ID (a PID or TID, which can be -1) to OUT, left-aligned in at least
 * WIDTH columns.
 */
void script_number_put_id_left(struct strbuf *out, uint32_t id, size_t width);
/*
 * Appends VALUE to OUT with at least WIDTH digits, filled with leading zeros.
 */
void script_number_put_zeros(struct strbuf *out, uint64_t value, size_t width);
/*
 * Appends VALUE to OUT in hex without "0x", right-aligned in
 * SCRIPT_NUMBER_HEX_WIDTH columns.
 */
#define SCRIPT_NUMBER_HEX_WIDTH 16u
void script_number_put_hex(struct strbuf *out, uint64_t value);

#endif
