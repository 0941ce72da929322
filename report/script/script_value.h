/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers, and other values of a sample, in the layout of perf script. */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_VALUE_H
#define DWELL_REPORT_SCRIPT_SCRIPT_VALUE_H

#include "common/unwind/registers.h"
#include "common/util/strbuf.h"

/* Returns the letter of a CPU mode, "K" for MISC_KERNEL, or "". */
const char *script_value_mode(uint8_t cpumode);

/*
 * Appends those of weight, ins_lat and retire_lat that FIELDS has
 * (script_field.h) to OUT. IS_STRUCT: WEIGHT is a union perf_sample_weight.
 */
void script_value_weight(
	uint32_t fields, bool is_struct, uint64_t weight, struct strbuf *out);

/* Appends SIZE, in bytes: " 4K", or " N/A" for 0. */
void script_value_page_size(uint64_t size, struct strbuf *out);

struct script_registers {
	uint64_t mask, abi;    /* recorded registers; PERF_SAMPLE_REGS_ABI_* */
	const uint8_t *values; /* u64 for each bit of mask, or NULL */
};
/* Appends " ABI:2    AX:0x1    BX:0x2 ", or nothing without values. */
void script_value_registers(const struct registers *registers,
	const struct script_registers *set, struct strbuf *out);

/*
 * Appends a number to OUT. dwell script prints several numbers per sample;
 * printf takes three times as long. Right-aligned in at least WIDTH columns.
 */
void script_number_put(struct strbuf *out, uint64_t value, size_t width);
/* The same for an id, which can be -1. */
void script_number_put_id(struct strbuf *out, uint32_t id, size_t width);
/* Left-aligned. */
void script_number_put_id_left(struct strbuf *out, uint32_t id, size_t width);
/* With leading zeros, at least WIDTH digits. */
void script_number_put_zeros(struct strbuf *out, uint64_t value, size_t width);
/* Without "0x", right-aligned in SCRIPT_NUMBER_HEX_WIDTH columns. */
#define SCRIPT_NUMBER_HEX_WIDTH 16u
void script_number_put_hex(struct strbuf *out, uint64_t value);

#endif
