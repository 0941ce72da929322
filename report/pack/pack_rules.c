/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_rules.h"

#include "common/util/log.h"
#include "report/unwind/dso_rules.h"

void pack_rules_add(struct pack_rules *packing, const struct dso *dso,
	const struct build_id *id, const struct strbuf *rules)
{
	size_t before = packing->pieces.n;

	packed_dsos_put(dso, id, rules->at, rules->n, &packing->pieces);
	if (packing->pieces.n - before <= packing->left) {
		packing->left -= packing->pieces.n - before;
		packing->n++;
	} else {
		packing->pieces.n = before;
		packing->n_omitted++;
	}
}

void pack_rules_finish(struct pack_rules *packing, struct strbuf *out)
{
	if (packing->n) {
		packed_dsos_begin(packing->n, out);
		strbuf_put(out, packing->pieces.at, packing->pieces.n);
	}
	strbuf_free(&packing->pieces);
	packing->n = 0;
}

void pack_rules_put(const struct address_rules *codes, struct files *files,
	struct strbuf *out)
{
	struct pack_rules packing = { .left = PACK_RULES_MAX };
	uint32_t i;

	for (i = 0; i < maps_n_dsos(files_maps(files)); i++) {
		_cleanup_strbuf_ struct strbuf rules = { 0 };
		const struct build_id id = files_build_id(files, i);

		if (address_rules_put(codes, i, &rules))
			pack_rules_add(
				&packing, files_dso(files, i), &id, &rules);
	}
	if (packing.n_omitted)
		log_note("%s: did not pack the unwind rules of %u file%s: the "
			 "limit is %lu MiB",
			reader_path(files_reader(files)), packing.n_omitted,
			plural(packing.n_omitted), PACK_RULES_MAX / MIB(1));
	pack_rules_finish(&packing, out);
}
