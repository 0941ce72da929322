/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a row shows: its numbers, and its keys as text. */
#include "config.h"

#include "report/rows/hist.h"

uint64_t hist_number(const struct row *row, const struct field *field)
{
	switch (field->number) {
	case NUMBER_SELF: return row->self;
	case NUMBER_CHILDREN: return row->children;
	case NUMBER_SAMPLES: return row->samples;
	case NUMBER_KERNEL: return row->by_mode[HIST_KERNEL];
	case NUMBER_USER: return row->by_mode[HIST_USER];
	case NUMBER_GUEST_KERNEL: return row->by_mode[HIST_GUEST_KERNEL];
	case NUMBER_GUEST_USER: return row->by_mode[HIST_GUEST_USER];
	}
	return 0;
}

void hist_key_text(const struct row *row, const struct column *column,
	const struct field_names *names, struct strbuf *out)
{
	uint64_t value = row->key[column->key];

	if (row->is_rest) {
		strbuf_puts(out, HIST_REST);
		return;
	}
	if (column->field->is_per_sample)
		value *= row->samples;
	column->field->text(names, value, out);
}

void hist_put_key(const struct row *row, const struct column *column,
	const struct field_names *names, const struct hist_key_style *style,
	struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	long long number;
	char *end;

	strbuf_puts(&text, "");
	hist_key_text(row, column, names, &text);
	if (!column->field->is_number) {
		style->escape(out, text.at);
		return;
	}
	number = strtoll(text.at, &end, 10);
	if (end == text.at)
		strbuf_puts(out, style->no_number);
	else
		strbuf_printf(out, "%lld", number);
}
