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

char *lambda_name(const char *name)
{
	struct strbuf out = { 0 };
	unsigned depth = 0; /* of the arguments of templates */

	strbuf_puts(&out, "");
	while (*name) {
		/* "$_1" or "{lambda()#1}" */
		size_t lambda = string_starts(name, "{lambda(")
			? bracketed_size(name, '{', '}')
			: string_starts(name, "$_")
			? 2 + strspn(name + 2, "0123456789")
			: 0;

		if (lambda) {
			strbuf_puts(&out, LAMBDA);
			name += lambda;
		} else if (string_starts(name, CALL_OPERATOR)) {
			strbuf_puts(&out, CALL_OPERATOR);
			name += strlen(CALL_OPERATOR);
		} else if (*name == '(' && !depth && out.n &&
			out.at[out.n - 1] != ':') {
			/*
			 * A bracket begins parameters, but not in "(anonymous
			 * namespace)::f" and in the arguments of a template.
			 * The words behind parameters are dropped, too.
			 */
			name += bracketed_size(name, '(', ')');
			while (*name && !string_starts(name, "::"))
				name++;
		} else {
			depth += *name == '<';
			depth -= *name == '>' && depth;
			strbuf_putc(&out, *name++);
		}
	}
	return out.at;
}
