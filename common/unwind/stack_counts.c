/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/stack_counts.h"

#include <inttypes.h>

/* The keys in the section "meta", in the order of the section. */
static const struct {
	const char *key; /* NULL: not written */
	size_t at;
} counts_keys[] = {
	{ "stacks", offsetof(struct stack_counts, all) },
	{ "stacks_limited", offsetof(struct stack_counts, limited) },
	{ "stacks_whole", offsetof(struct stack_counts, whole) },
	{ "stacks_completed", offsetof(struct stack_counts, completed) },
	{ "stacks_joined", offsetof(struct stack_counts, joined) },
	{ "stacks_chosen", offsetof(struct stack_counts, chosen) },
	{ "stacks_spliced", offsetof(struct stack_counts, spliced) },
	{ "stacks_framed", offsetof(struct stack_counts, framed) },
	{ "stacks_guessed", offsetof(struct stack_counts, guessed) },
	{ "stacks_late", offsetof(struct stack_counts, late) },
	{ "stacks_shifted", offsetof(struct stack_counts, shifted) },
	{ "stacks_alone", offsetof(struct stack_counts, alone) },
	{ "stacks_refused", offsetof(struct stack_counts, refused) },
	{ "stacks_unread", offsetof(struct stack_counts, unread) },
	{ "stacks_empty", offsetof(struct stack_counts, empty) },
	{ "stacks_unfaulted", offsetof(struct stack_counts, unfaulted) },
	{ "stacks_truncated",
		offsetof(struct stack_counts, ends[UNWIND_TRUNCATED]) },
	{ "stacks_no_rule",
		offsetof(struct stack_counts, ends[UNWIND_NO_RULE]) },
	{ "stacks_no_file", offsetof(struct stack_counts, no_file) },
	{ "stacks_made", offsetof(struct stack_counts, made) },
	{ "stacks_haskell", offsetof(struct stack_counts, haskell) },
	{ "stacks_pascal", offsetof(struct stack_counts, pascal) },
	{ "stacks_no_code",
		offsetof(struct stack_counts, ends[UNWIND_NO_CODE]) },
	{ "stacks_damaged",
		offsetof(struct stack_counts, ends[UNWIND_DAMAGED]) },
	{ "stacks_register",
		offsetof(struct stack_counts, ends[UNWIND_REGISTER]) },
	{ "stacks_limit", offsetof(struct stack_counts, ends[UNWIND_LIMIT]) },
	{ "stacks_elsewhere",
		offsetof(struct stack_counts, ends[UNWIND_ELSEWHERE]) },
	{ "stacks_zero", offsetof(struct stack_counts, ends[UNWIND_ZERO]) },
	{ NULL, offsetof(struct stack_counts, small) },
};
/* UNWIND_ROOT has no row. */
_Static_assert(ARRAY_SIZE(counts_keys) ==
		sizeof(struct stack_counts) / sizeof(uint64_t) - 1,
	"each count has a row");

static uint64_t *count_of_row(struct stack_counts *counts, size_t row)
{
	return (uint64_t *)((char *)counts + counts_keys[row].at);
}

void stack_counts_add(
	struct stack_counts *sum, const struct stack_counts *counts)
{
	struct stack_counts from = *counts;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts_keys); i++)
		*count_of_row(sum, i) += *count_of_row(&from, i);
}

void stack_counts_write(const struct stack_counts *counts, struct strbuf *out)
{
	struct stack_counts from = *counts;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts_keys); i++) {
		if (!counts_keys[i].key)
			continue;
		strbuf_put(out, counts_keys[i].key,
			strlen(counts_keys[i].key) + 1);
		strbuf_printf(out, "%" PRIu64, *count_of_row(&from, i));
		strbuf_put(out, "", 1);
	}
}

void stack_counts_read(
	struct stack_counts *counts, const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts_keys); i++)
		if (counts_keys[i].key && string_is(key, counts_keys[i].key))
			*count_of_row(counts, i) += strtoull(value, NULL, 10);
}
