/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/rotation_policy.h"

#include "common/util/alloc.h"
#include "common/util/cli.h"

struct error *rotation_parse(const char *text, struct rotation *rotation)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	size_t digits = strspn(text, "0123456789"), i;
	_cleanup_free_ char *number = xstrndup(text, digits);
	char unit = text[digits];
	uint64_t seconds = 0;

	*rotation = (struct rotation){
		.has_many = true, .is_stamped = true, .n_max = rotation->n_max
	};
	if (string_is(text, "signal"))
		return NULL;
	if (!digits || !unit || text[digits + 1] ||
		!strchr("smhdBKMGbkg", unit))
		return error_usage("--switch-output: '%s' is not \"signal\", a "
				   "size such as 100M, or a time such as 30s",
			text);
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		struct error *err;

		if (units[i].unit != unit)
			continue;
		err = cli_number(number, "--switch-output", 1,
			1000000000u / units[i].seconds, &seconds);
		rotation->interval_ns =
			seconds * units[i].seconds * NSEC_PER_SEC;
		return err;
	}
	return cli_size(text, "--switch-output", 1, INT64_MAX, &rotation->size);
}
