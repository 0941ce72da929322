/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/symbol_json.h"

#include "report/util/string_table.h"

void symbol_json_put(
	struct resolver *resolver, uint32_t location, struct json *json)
{
	struct string_table names = { 0 };

	if (resolver_location(resolver, location)->is_guessed)
		json_bool(json, "guessed", true);
	resolver_other_names(resolver, location, &names);
	if (names.at.n) {
		json_begin_array(json, "other_names");
		array_each(&names.at, name)
			json_string(json, NULL, *name);
		json_end_array(json);
	}
	string_table_deinit(&names);
}
