/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/symbol_json.h"

#include "report/util/string_table.h"

/* Limit of the names in one list: a row of each thread can have the list. */
#define LISTED_MAX 100u

void symbol_json_put(
	struct resolver *resolver, uint32_t location, struct json *json)
{
	struct string_table names = { 0 };
	size_t i;

	if (resolver_location(resolver, location)->is_guessed)
		json_bool(json, "guessed", true);
	resolver_other_names(resolver, location, &names);
	if (names.at.n) {
		json_begin_array(json, "other_names");
		for (i = 0; i < MIN(names.at.n, (size_t)LISTED_MAX); i++)
			json_string(json, NULL, names.at.at[i]);
		json_end_array(json);
	}
	string_table_deinit(&names);
}
