/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/runtime_symbols.h"

#include <stdlib.h>

#include "common/file/line_builder.h"
#include "common/file/packed_dsos.h"

void runtime_symbols_add(const struct runtimes *runtimes, unsigned number,
	const struct hit *sampled, size_t n, struct symtab *table)
{
	struct runtime_function function;
	uint64_t next = 0;
	uint32_t line;
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t start =
			sampled[i].place & ~(RUNTIME_FUNCTION_SIZE - 1);

		if (start < next ||
			!runtime_functions_find(runtimes_functions(runtimes),
				number, start, &function, &line))
			continue;
		next = start + RUNTIME_FUNCTION_SIZE;
		symtab_add(table, start, next, 0, function.name);
	}
	symtab_finish(table);
}

/* Adds LINE for the two addresses that stand for it. PLACE is one of them. */
static void add_line(struct line_builder *builder,
	const struct runtime_function *function, uint64_t place, uint32_t line)
{
	uint64_t start = place & ~UINT64_C(1);

	line_builder_row(builder, start,
		line_builder_text(builder, function->file), line);
	line_builder_row(builder, start + 2, LINE_NONE, 0);
}

void runtime_symbols_put_lines(const struct runtimes *runtimes, unsigned number,
	const struct dso *dso, const struct hit *sampled, size_t n,
	struct strbuf *out)
{
	const struct build_id no_id = { 0 };
	struct line_builder builder;
	struct runtime_function function;
	struct line_unit *unit;
	uint32_t line;
	size_t i;

	line_builder_init(&builder, 0);
	for (i = 0; i < n; i++)
		if (runtime_functions_find(runtimes_functions(runtimes), number,
			    sampled[i].place, &function, &line) &&
			line && *function.file)
			add_line(&builder, &function, sampled[i].place, line);
	unit = line_builder_finish(&builder);
	packed_dsos_put(dso, &no_id, unit, line_unit_size(unit), out);
	free(unit);
	line_builder_deinit(&builder);
}
