/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_branch.h"

#include "report/util/branch_flags.h"

/* PERF_BR_*; the last one says to look at the new type. */
static const char *const types[] = { "", "COND", "UNCOND", "IND", "CALL",
	"IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL", "COND_RET",
	"ERET", "IRQ", "SERROR", "NO_TX" };
static const char *const new_types[] = { "FAULT_ALGN", "FAULT_DATA",
	"FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5" };

static const char *type_name(uint64_t flags)
{
	unsigned type = flags >> BRANCH_TYPE_SHIFT & 15;
	unsigned new_type = flags >> BRANCH_NEW_TYPE_SHIFT & 15;

	if (type < ARRAY_SIZE(types))
		return types[type];
	return new_type < ARRAY_SIZE(new_types) ? new_types[new_type] : "";
}

static void put_flags(uint64_t flags, struct strbuf *out)
{
	char predicted = '-';

	if (flags & BRANCH_MISPREDICTED)
		predicted = 'M';
	else if (flags & BRANCH_PREDICTED)
		predicted = 'P';
	strbuf_printf(out, "/%c/%c/%c/%u/%s ", predicted,
		flags & BRANCH_IN_TRANSACTION ? 'X' : '-', flags & BRANCH_ABORT ? 'A' : '-',
		(unsigned)branch_cycles(flags), type_name(flags));
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
