/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script_branch.h"

/* Bits of a branch's flags, struct perf_branch_entry of linux/perf_event.h. */
enum {
	MISPREDICTED = 1 << 0,
	PREDICTED = 1 << 1,
	IN_TRANSACTION = 1 << 2,
	ABORT = 1 << 3,
	CYCLES = 4, /* 16 bits from here */
	TYPE = 20,  /* 4 bits */
	NEW_TYPE = 26,
};

/* PERF_BR_*; the last one says to look at the new type. */
static const char *const types[] = { "", "COND", "UNCOND", "IND", "CALL",
	"IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL", "COND_RET",
	"ERET", "IRQ", "SERROR", "NO_TX" };
static const char *const new_types[] = { "FAULT_ALGN", "FAULT_DATA",
	"FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5" };

static const char *type_name(uint64_t flags)
{
	unsigned type = flags >> TYPE & 15, new_type = flags >> NEW_TYPE & 15;

	if (type < ARRAY_SIZE(types))
		return types[type];
	return new_type < ARRAY_SIZE(new_types) ? new_types[new_type] : "";
}

static void put_flags(uint64_t flags, struct strbuf *out)
{
	char predicted = '-';

	if (flags & MISPREDICTED)
		predicted = 'M';
	else if (flags & PREDICTED)
		predicted = 'P';
	strbuf_printf(out, "/%c/%c/%c/%u/%s ", predicted,
		flags & IN_TRANSACTION ? 'X' : '-', flags & ABORT ? 'A' : '-',
		(unsigned)(flags >> CYCLES & UINT16_MAX), type_name(flags));
}

void script_branch_put(struct script_code *code, uint32_t fields,
	const struct sample *sample, uint32_t space, struct strbuf *out)
{
	bool has_dso = script_has(fields, SCRIPT_DSO);
	enum script_field style = SCRIPT_BRSTACK;
	uint64_t i;

	while (style <= SCRIPT_BRSTACKOFF && !script_has(fields, style))
		style++;
	if (style > SCRIPT_BRSTACKOFF)
		return;
	for (i = 0; i < sample->n_branches; i++) {
		struct bytes b = bytes_of(sample->branches + 24 * i, 24, false);
		uint64_t from = bytes_u64(&b), to = bytes_u64(&b);

		if (style != SCRIPT_BRSTACKSYM)
			strbuf_putc(out, ' ');
		script_code_put_end(code, space, from, style, has_dso, out);
		strbuf_putc(out, '/');
		script_code_put_end(code, space, to, style, has_dso, out);
		put_flags(bytes_u64(&b), out);
	}
}
