/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/jit_rules.h"

#include "report/unwind/dso_rules.h"

/* Addresses at a time, and the offset of the first one. */
struct stretch {
	uint64_t start, end, time, offset;
	const struct jitcode *only; /* write only this code; NULL: all */
};

static void put_code_part(const struct stretch *stretch, uint64_t address,
	const struct jitcodes_part *part, struct strbuf *out)
{
	uint64_t delta = stretch->start - stretch->offset;
	const struct elf_segment code = { address - delta,
		MIN(part->end, stretch->end) - delta, delta };

	if (part->code && part->code->cfi &&
		(!stretch->only || part->code == stretch->only))
		dso_rules_put_piece(part->code->cfi, &code, 1, out);
}

/* Later codes may overlap a part of an earlier one. */
static void put_code_stretch(struct jitcodes *codes,
	const struct stretch *stretch, struct strbuf *out)
{
	uint64_t at = stretch->start;

	while (at < stretch->end) {
		const struct jitcodes_part part =
			jitcodes_find(codes, at, stretch->time);

		put_code_part(stretch, at, &part, out);
		if (part.end <= at)
			break;
		at = part.end;
	}
}

static void put_rules_by_address(struct jitcodes *codes, struct strbuf *out)
{
	size_t n, i;
	const struct jitcode *all = jitcodes_all(codes, &n);

	for (i = 0; i < n; i++)
		if (all[i].cfi)
			put_code_stretch(codes,
				&(struct stretch){ all[i].start, all[i].end,
					UINT64_MAX, all[i].start, &all[i] },
				out);
}

static void put_rules_by_place(const struct dump *dump, struct strbuf *out)
{
	array_each(&dump->places, place) {
		const struct jitcode *code =
			jitcodes_find(dump->codes, place->address, place->since)
				.code;

		if (code)
			put_code_stretch(dump->codes,
				&(struct stretch){ place->address, code->end,
					place->since, place->place, NULL },
				out);
	}
}

void jit_rules_put(const struct dump_code *jit, struct strbuf *out)
{
	dso_rules_begin(out);
	if (jit->is_timed)
		put_rules_by_place(jit->dump, out);
	else
		put_rules_by_address(jit->dump->codes, out);
}
