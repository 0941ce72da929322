/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/doctor/doctor.h"

#include <sys/resource.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "record/sys/sysfile.h"

/* The shape of the JSON; see dwell-doctor(1). */
#define SHAPE_VERSION 1
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

static uint64_t limit_of(int resource)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit) < 0)
		return 0;
	/* The recorder raises its own limit as far as it may. */
	return resource == RLIMIT_NOFILE ? limit.rlim_max : limit.rlim_cur;
}

void facts_read(
	const char *root, const struct opener *opener, struct facts *ret)
{
	_cleanup_free_ char *devices =
		xasprintf("%s/sys/bus/event_source/devices", root);
	struct cpus online;

	*ret = (struct facts){
		.root = root,
		.opener = opener,
		.memlock = limit_of(RLIMIT_MEMLOCK),
		.nofile = limit_of(RLIMIT_NOFILE),
	};
	asker_read(root, &ret->asker);
	pmus_read(devices, &ret->pmus);
	sysfile_cpus_online(&online);
	ret->n_cpus = online.list.n;
	cpus_deinit(&online);
}

void facts_deinit(struct facts *facts)
{
	pmus_deinit(&facts->pmus);
}

static void put_text(const struct check *check, const struct finding *finding,
	bool is_coloured, struct strbuf *out)
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

static void put_json(const struct check *check, const struct finding *finding,
	struct strbuf *out)
{
	strbuf_printf(out, "{\"name\": \"%s\", \"status\": \"%s\", \"value\": ",
		check->name, status_names[finding->status]);
	escape_json(out, finding->value.at);
	strbuf_puts(out, ", \"meaning\": ");
	escape_json(out, finding->meaning);
	strbuf_puts(out, ", \"remedy\": ");
	if (finding->remedy.n)
		escape_json(out, finding->remedy.at);
	else
		strbuf_puts(out, "null");
	strbuf_putc(out, '}');
}

static enum check_status look(const struct facts *facts,
	const struct check *check, enum doctor_form form, struct strbuf *out)
{
	struct finding finding = { 0 };

	check->look(facts, &finding);
	if (form == DOCTOR_JSON)
		put_json(check, &finding, out);
	else
		put_text(check, &finding, form == DOCTOR_COLOURED, out);
	strbuf_free(&finding.value);
	strbuf_free(&finding.remedy);
	return finding.status;
}

bool doctor_look(
	const struct facts *facts, enum doctor_form form, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf lines = { 0 };
	bool can_record = true;
	size_t i;

	for (i = 0; i < n_checks; i++) {
		if (form == DOCTOR_JSON)
			strbuf_puts(&lines, i ? ",\n  " : "\n  ");
		if (look(facts, &checks[i], form, &lines) == CHECK_NO)
			can_record = false;
	}
	if (form == DOCTOR_JSON)
		strbuf_printf(out,
			"{\"version\": %d, \"can_record\": %s, "
			"\"checks\": [",
			SHAPE_VERSION, can_record ? "true" : "false");
	strbuf_put(out, lines.at, lines.n);
	if (form == DOCTOR_JSON)
		strbuf_puts(out, "]}\n");
	return can_record;
}
