/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints each line of standard input, a symbol, as dwell demangles it. */
#include "config.h"

#include <stdio.h>

#include "report/util/demangle.h"

int main(void)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		_cleanup_free_ char *plain = NULL;

		line[strcspn(line, "\n")] = '\0';
		plain = demangle(line);
		puts(plain ? plain : line);
	}
	return 0;
}
