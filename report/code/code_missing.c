/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/code_missing.h"

#include "report/symbols/dso_name.h"

static struct error *explain_missing_kernel_code(const struct location *at)
{
	if (symbols_is_ksymbol(at->dso))
		return error_new("no code: the kernel generated it at run "
				 "time (for example a BPF program), and only "
				 "its name was recorded");
	if (!dso_name_is_kernel(at->dso->path))
		return error_new("no code: dwell does not read the code of "
				 "kernel modules");
	return error_new(
		"no code: the code of the kernel is in vmlinux; name it "
		"with --vmlinux");
}

struct error *code_missing(struct files *files, const struct location *at)
{
	const struct dso *dso = files_dso(files, at->number);
	uint32_t pid;

	if (at->dso->is_kernel)
		return explain_missing_kernel_code(at);
	if (maps_is_anonymous(dso->path) ||
		survey_is_timed_jit(dso->path, &pid))
		return error_new(
			"no code: it was generated at run time, and no "
			"jitdump contains it");
	if (!files_build_id(files, at->number).size &&
		access(at->dso->path, R_OK) == 0)
		return error_new(
			"no code: without a recorded build ID, %s may be "
			"another file than the recorded one",
			at->dso->path);
	if (files_status(files, at->number).has_changed)
		return error_new(
			"no code: %s is not the recorded file", at->dso->path);
	return error_new(
		"no code: %s was not found as it was recorded", at->dso->path);
}
