/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What JSON output says about the symbol of a function. */
#ifndef DWELL_REPORT_VIEW_SYMBOL_JSON_H
#define DWELL_REPORT_VIEW_SYMBOL_JSON_H

#include "common/util/json.h"
#include "report/resolve/resolve.h"

/*
 * Writes the members about the symbol of LOCATION: "guessed", true, if the symbol is made
 * up, and "other_names", a list, if the function has some.
 */
void symbol_json_put(
	struct resolver *resolver, uint32_t location, struct json *json);

#endif
