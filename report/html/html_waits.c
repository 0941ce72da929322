/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_waits.h"

#include "report/html/html_bytes.h"

void html_waits_put(const struct flame *flame, struct strbuf *out)
{
	const struct flame_node *last = flame->nodes.at;
	uint64_t n = 0;

	array_each(&flame->nodes, node)
		n += node->waits_in > 0;
	html_put_number(out, n);
	array_each(&flame->nodes, node) {
		if (!node->waits_in)
			continue;
		html_put_number(out, (uint64_t)(node - last));
		html_put_number(out, node->waits_in - 1);
		last = node;
	}
}
