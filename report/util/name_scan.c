/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/name_scan.h"

#include <ctype.h>

size_t name_operator_length(const char *name, size_t at)
{
	static const char word[] = "operator";
	size_t size = sizeof(word) - 1;

	if (strncmp(name + at, word, size) ||
		(at &&
			(isalnum((unsigned char)name[at - 1]) ||
				name[at - 1] == '_')))
		return 0;
	return size + strspn(name + at + size, "<>=-");
}

size_t name_step(const char *name, size_t at, size_t *depth)
{
	size_t skipped = name_operator_length(name, at);

	*depth += strchr("<([{", name[at]) != NULL;
	/* The ">" of "->" is not a bracket. */
	*depth -= *depth && strchr(">)]}", name[at]) &&
		(name[at] != '>' || name[at - 1] != '-');
	return MAX(skipped, (size_t)1);
}
