/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the "rules" section of `dwell pack`: the unwind rules that the stack
 * copies of a recording need.
 */
#ifndef DWELL_REPORT_PACK_PACK_RULES_H
#define DWELL_REPORT_PACK_PACK_RULES_H

#include "report/unwind/rules_by_address.h"

/* Limit of all DSOs in bytes; further DSOs are left out with a message. */
#define PACK_RULES_MAX MIB(256)

/*
 * Appends a section (dso_rules.h) with the rules in CODES that were used
 * since address_rules_watch(); nothing if there are none. FILES are those of
 * CODES.
 */
void pack_rules_put(const struct address_rules *codes, struct files *files,
	struct strbuf *out);

/* A section under construction, for tests; all but .left is 0 at first. */
struct pack_rules {
	struct strbuf pieces;
	uint64_t left; /* bytes of PACK_RULES_MAX */
	uint32_t n, n_omitted;
};
/*
 * Adds RULES of DSO, whose build ID is ID, in the format of
 * address_rules_put().
 */
void pack_rules_add(struct pack_rules *packing, const struct dso *dso,
	const struct build_id *id, const struct strbuf *rules);
/* Appends the section to OUT, unless it is empty, and empties PACKING. */
void pack_rules_finish(struct pack_rules *packing, struct strbuf *out);

#endif
