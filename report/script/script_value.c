/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_value.h"

#include <inttypes.h>

#include "common/perf/abi.h"
#include "report/script/script_number.h"
#include "report/util/script_field.h"

const char *script_value_mode(uint8_t cpumode)
{
	static const char *const letters[] = { [MISC_KERNEL] = "K",
		[MISC_USER] = "U",
		[MISC_HYPERVISOR] = "H",
		[MISC_GUEST_KERNEL] = "G",
		[MISC_GUEST_USER] = "g" };

	return cpumode < ARRAY_SIZE(letters) && letters[cpumode]
		? letters[cpumode]
		: "";
}

void script_value_weight(
	uint32_t fields, bool is_struct, uint64_t weight, struct strbuf *out)
{
	/* var1_dw, var2_w and var3_w of union perf_sample_weight. */
	if (script_has(fields, SCRIPT_WEIGHT))
		script_number_put(
			out, is_struct ? (uint32_t)weight : weight, 16);
	if (script_has(fields, SCRIPT_INS_LAT))
		script_number_put(out, weight >> 32 & UINT16_MAX, 16);
	if (script_has(fields, SCRIPT_RETIRE_LAT))
		script_number_put(out, weight >> 48, 16);
}

void script_value_page_size(uint64_t size, struct strbuf *out)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	if (!size) {
		strbuf_puts(out, " N/A");
		return;
	}
	while (size >= 1024 && size % 1024 == 0) {
		size /= 1024;
		unit++;
	}
	strbuf_printf(out, " %" PRIu64 "%c", size, units[unit]);
}

void script_value_registers(const struct registers *registers,
	const struct script_registers *set, struct strbuf *out)
{
	const uint8_t *values = set->values;
	unsigned bit;

	if (!values)
		return;
	strbuf_printf(out, " ABI:%" PRIu64 " ", set->abi);
	for (bit = 0; bit < 64; bit++) {
		const char *name = registers_name(registers, bit);
		uint64_t value;

		if (!(set->mask >> bit & 1))
			continue;
		memcpy(&value, values, sizeof(value));
		values += sizeof(value);
		strbuf_printf(out, "%5s:0x%" PRIx64 " ",
			name ? name : "unknown", value);
	}
}
