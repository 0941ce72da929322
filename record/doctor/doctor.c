/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/doctor/doctor.h"

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "common/util/json.h"

/* The version of the JSON format; see dwell-doctor(1). */
#define JSON_VERSION 1
#define NAME_WIDTH 16

static const char *const status_names[] = {
	[CHECK_OK] = "ok",
	[CHECK_LIMITED] = "limited",
	[CHECK_NO] = "no",
};
/* ECMA-48, "select graphic rendition": green, yellow, red. */
static const char *const status_colours[] = {
	[CHECK_OK] = "\33[32m",
	[CHECK_LIMITED] = "\33[33m",
	[CHECK_NO] = "\33[31m",
};

static void put_text_finding(const struct check *check,
	const struct finding *finding, bool is_coloured, struct strbuf *out)
{
	const char *status = status_names[finding->status];

	if (is_coloured)
		strbuf_puts(out, status_colours[finding->status]);
	strbuf_printf(out, "%-8s", status);
	if (is_coloured)
		strbuf_puts(out, "\33[0m");
	strbuf_printf(out, " %-*s ", NAME_WIDTH, check->name);
	escape_text(out, finding->value.at);
	strbuf_printf(out, " - %s\n", finding->meaning);
	if (!finding->remedy.n)
		return;
	strbuf_printf(out, "%*s -> ", 8 + NAME_WIDTH - 2, "");
	escape_text(out, finding->remedy.at);
	strbuf_putc(out, '\n');
}

static void put_json_finding(const struct check *check,
	const struct finding *finding, struct json *json)
{
	json_line(json, "\n  ");
	json_begin_object(json, NULL);
	json_string(json, "name", check->name);
	json_string(json, "status", status_names[finding->status]);
	json_string(json, "value", finding->value.at);
	json_string(json, "meaning", finding->meaning);
	json_string(
		json, "remedy", finding->remedy.n ? finding->remedy.at : NULL);
	json_end_object(json);
}

bool doctor_run(
	const struct facts *facts, enum doctor_form form, struct strbuf *out)
{
	struct finding *findings = xcalloc(n_checks, sizeof(*findings));
	struct json json = { .out = out };
	bool can_record = true;
	size_t i;

	for (i = 0; i < n_checks; i++) {
		checks[i].run(facts, &findings[i]);
		can_record &= findings[i].status != CHECK_NO;
	}
	if (form == DOCTOR_JSON) {
		json_begin_object(&json, NULL);
		json_unsigned(&json, "version", JSON_VERSION);
		json_bool(&json, "can_record", can_record);
		json_begin_array(&json, "checks");
	}
	for (i = 0; i < n_checks; i++) {
		if (form == DOCTOR_JSON)
			put_json_finding(&checks[i], &findings[i], &json);
		else
			put_text_finding(&checks[i], &findings[i],
				form == DOCTOR_COLOURED, out);
		strbuf_free(&findings[i].value);
		strbuf_free(&findings[i].remedy);
	}
	if (form == DOCTOR_JSON) {
		json_end_array(&json);
		json_end_object(&json);
		strbuf_putc(out, '\n');
	}
	free(findings);
	return can_record;
}
