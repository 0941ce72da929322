/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the "rules" section of `dwell pack`: the unwind rules that the stack
 * copies of a recording need.
 */
#ifndef DWELL_REPORT_PACK_PACK_RULES_H
#define DWELL_REPORT_PACK_PACK_RULES_H

#include "report/unwind/address_rules.h"

/*
 * Limit of the unwind rules of all DSOs, in bytes; further DSOs are left out,
 * which is reported.
 */
#define PACK_RULES_MAX MIB(256)

/*
 * Appends the section "rules" (dso_rules.h) with the unwind rules in CODES that
 * were used since address_rules_record_lookups(); nothing if no rule was used.
 * CODES was created with FILES.
 */
void pack_rules_put(const struct address_rules *codes, struct files *files,
	struct strbuf *out);

/*
 * The section "rules" under construction; public only for tests. The caller
 * sets .left, and all other members to 0.
 */
struct pack_rules {
	struct strbuf pieces;
	uint64_t left; /* bytes that may still be added */
	uint32_t n, n_omitted;
};
/*
 * Adds the unwind RULES of DSO, which address_rules_put() wrote. ID is the
 * build ID of DSO. If RULES exceed .left, only increments .n_omitted.
 */
void pack_rules_add(struct pack_rules *packing, const struct dso *dso,
	const struct build_id *id, const struct strbuf *rules);
/* Appends the section to OUT, unless PACKING has no rules. Empties PACKING. */
void pack_rules_finish(struct pack_rules *packing, struct strbuf *out);

#endif
