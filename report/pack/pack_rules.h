/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `dwell pack` adds of unwinding rules: those that the copies of stacks in a
 * recording have asked for.
 */
#ifndef DWELL_REPORT_PACK_PACK_RULES_H
#define DWELL_REPORT_PACK_PACK_RULES_H

#include "report/unwind/rules_by_address.h"

/* Of all DSOs in bytes; what is beyond that is left out, which is said. */
#define PACK_RULES_MAX MIB(256)

/*
 * Appends a section as packed_rules.h tells, of what CODES, which were watched,
 * were asked; nothing if that is nothing. FILES are those of CODES.
 */
void pack_rules_put(
	const struct codes *codes, struct files *files, struct strbuf *out);

/* For tests, such a section on its way; all but .left is 0 in the beginning. */
struct pack_rules {
	struct strbuf pieces;
	uint64_t left; /* of PACK_RULES_MAX */
	uint32_t n, n_omitted;
};
/* RULES of DSO, whose build ID is ID, as codes_put() gives them. */
void pack_rules_add(struct pack_rules *packing, const struct dso *dso,
	const struct build_id *id, const struct strbuf *rules);
/* To OUT, which is left as it is if there is nothing; PACKING has nothing then. */
void pack_rules_finish(struct pack_rules *packing, struct strbuf *out);

#endif
