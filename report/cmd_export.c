/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/strbuf.h"
#include "report/cmd.h"
#include "report/export/export.h"

static const struct export *const export_formats[] = {
	&export_folded,
	&export_html,
	&export_perf_data,
	&export_pprof,
	&export_speedscope,
	&export_firefox,
	&export_callgrind,
	&export_chrome,
	&export_perf_script,
	&export_json,
	&export_csv,
	&export_svg,
};

static struct error *find_export_format(
	const char *name, const struct export **ret)
{
	_cleanup_strbuf_ struct strbuf names = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(export_formats); i++) {
		if (name && string_is(export_formats[i]->name, name)) {
			*ret = export_formats[i];
			return NULL;
		}
		strbuf_puts(&names, i ? ", " : "");
		strbuf_puts(&names, export_formats[i]->name);
	}
	return name
		? error_usage("--format: unknown format '%s'; use one of %s",
			  name, names.at)
		: error_usage("no format given; use --format with one of %s",
			  names.at);
}

struct error *cmd_export(int argc, char **argv)
{
	struct options options = { 0 };
	const struct export *export = NULL;
	struct error *err = options_export(argc, argv, &options);

	if (!err)
		err = find_export_format(options.output.format, &export);
	if (!err)
		err = export_write(export, &options);
	options_deinit(&options);
	return err;
}
