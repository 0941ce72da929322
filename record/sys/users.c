/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/users.h"

#include <ctype.h>
#include <pwd.h>
#include <stdio.h>

#define PASSWD "/etc/passwd"

/*
 * Reads PASSWD directly: a static program cannot load the modules that
 * getpwnam(3) uses.
 */
static bool read_user(const char *name, uint32_t *ret)
{
	FILE *file = fopen(PASSWD, "re");
	struct passwd *user = NULL;

	while (file && (user = fgetpwent(file)))
		if (string_is(user->pw_name, name))
			break;
	if (user)
		*ret = user->pw_uid;
	if (file)
		fclose(file);
	return user;
}

struct error *users_parse(const char *option, const char *text, uint32_t *ret)
{
	unsigned long number = 0;
	char *end = NULL;

	if (read_user(text, ret))
		return NULL;
	if (isdigit((unsigned char)*text))
		number = strtoul(text, &end, 10);
	if (!end || *end || number > UINT32_MAX)
		return error_usage("%s: there is no user '%s' in " PASSWD
				   "; use a name or a number",
			option, text);
	*ret = (uint32_t)number;
	return NULL;
}
