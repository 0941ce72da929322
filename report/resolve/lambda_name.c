/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/resolve/lambda_name.h"

#include "common/util/strbuf.h"

#define CALL_OPERATOR "operator()"
#define LAMBDA "{lambda}"

/*
 * Returns the number of characters from AT, which begins with the bracket OPEN,
 * to the bracket CLOSE that ends the group, or to the end of the text.
 */
static size_t bracketed_size(const char *at, char open, char close)
{
	size_t size = 0;
	unsigned depth = 0;

	do {
		depth += at[size] == open;
		depth -= at[size] == close;
	} while (at[size] && ++size && depth);
	return size;
}

/*
 * Returns the size of the name of a lambda at AT, "$_1" or "{lambda()#1}"; 0:
 * there is none.
 */
static size_t lambda_size(const char *at)
{
	if (string_starts(at, "{lambda("))
		return bracketed_size(at, '{', '}');
	return string_starts(at, "$_") ? 2 + strspn(at + 2, "0123456789") : 0;
}

/* Returns the size of the parameters at AT, and of the words behind them. */
static size_t parameters_size(const char *at)
{
	const char *end = at + bracketed_size(at, '(', ')');

	while (*end && !string_starts(end, "::"))
		end++;
	return (size_t)(end - at);
}

/*
 * Returns whether a bracket behind OUT begins parameters. It does not in
 * "(anonymous namespace)::f" and in the arguments of a template.
 */
static bool are_parameters_next(const struct strbuf *out, unsigned depth)
{
	return !depth && out->n && out->at[out->n - 1] != ':';
}

char *lambda_name(const char *name)
{
	struct strbuf out = { 0 };
	unsigned depth = 0; /* of the arguments of templates */

	strbuf_puts(&out, "");
	while (*name) {
		size_t lambda = lambda_size(name);

		if (lambda) {
			strbuf_puts(&out, LAMBDA);
			name += lambda;
		} else if (string_starts(name, CALL_OPERATOR)) {
			strbuf_puts(&out, CALL_OPERATOR);
			name += strlen(CALL_OPERATOR);
		} else if (*name == '(' && are_parameters_next(&out, depth)) {
			name += parameters_size(name);
		} else {
			depth += *name == '<';
			depth -= *name == '>' && depth;
			strbuf_putc(&out, *name++);
		}
	}
	return out.at;
}
