/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorder tells of stacks that it has unwound itself. */
#include "config.h"

#include "report/unwind/unwound.h"

/* Its names for that, doc/format.md; others tell more than is shown. */
static const struct {
	const char *key;
	size_t at;
} rows[] = {
	{ "stacks", offsetof(struct unwound, stacks) },
	{ "stacks_whole", offsetof(struct unwound, ends[UNWIND_ROOT]) },
	{ "stacks_completed", offsetof(struct unwound, completed) },
	{ "stacks_joined", offsetof(struct unwound, joined) },
	{ "stacks_spliced", offsetof(struct unwound, spliced) },
	{ "stacks_framed", offsetof(struct unwound, spliced) },
	{ "stacks_guessed", offsetof(struct unwound, guessed) },
	{ "stacks_limited", offsetof(struct unwound, limited) },
	{ "stacks_empty", offsetof(struct unwound, empty) },
	{ "stacks_unfaulted", offsetof(struct unwound, empty) },
	{ "stacks_truncated", offsetof(struct unwound, ends[UNWIND_TRUNCATED]) },
	{ "stacks_no_rule", offsetof(struct unwound, ends[UNWIND_NO_RULE]) },
	{ "stacks_no_code", offsetof(struct unwound, ends[UNWIND_NO_CODE]) },
	{ "stacks_damaged", offsetof(struct unwound, ends[UNWIND_DAMAGED]) },
	{ "stacks_register", offsetof(struct unwound, ends[UNWIND_REGISTER]) },
	{ "stacks_limit", offsetof(struct unwound, ends[UNWIND_LIMIT]) },
	{ "stacks_elsewhere", offsetof(struct unwound, ends[UNWIND_ELSEWHERE]) },
	{ "stacks_zero", offsetof(struct unwound, ends[UNWIND_ZERO]) },
};

static void take(struct unwound *unwound, const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (string_is(key, rows[i].key))
			*(uint64_t *)((char *)unwound + rows[i].at) +=
				strtoull(value, NULL, 10);
}

struct unwound unwound_recorded(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct unwound unwound = { 0 };
	uint64_t *ends = unwound.ends;
	struct bytes b;

	if (!reader_section(reader, SECTION_META, META_VERSION, &raw))
		return unwound;
	b = bytes_of(raw.at, raw.n, false);
	while (b.ok) {
		const char *key = bytes_string(&b), *value = bytes_string(&b);

		if (b.ok)
			take(&unwound, key, value);
	}
	/* By themselves these end with their copy; if the file is as it was. */
	if (unwound.joined > ends[UNWIND_ROOT] ||
		unwound.completed > ends[UNWIND_ROOT] - unwound.joined)
		return (struct unwound){ 0 };
	ends[UNWIND_ROOT] -= unwound.joined + unwound.completed;
	ends[UNWIND_TRUNCATED] += unwound.joined + unwound.completed;
	return unwound;
}
