/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/pattern.h"

struct error *pattern_compile(const char *what, const char *text, regex_t *ret)
{
	int failure = regcomp(ret, text, REG_EXTENDED | REG_NOSUB);
	char reason[256];

	if (!failure)
		return NULL;
	regerror(failure, ret, reason, sizeof(reason));
	return error_usage("%s: '%s': %s", what, text, reason);
}

struct error *pattern_check(const char *what, const char *text)
{
	regex_t regex;
	struct error *err = pattern_compile(what, text, &regex);

	if (!err)
		regfree(&regex);
	return err;
}
