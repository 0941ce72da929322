/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/code_missing.h"

#include "report/symbols/dso_name.h"

static struct error *missing_of_kernel(const struct location *at)
{
	if (symbols_is_ksymbol(at->dso))
		return error_new("its code isn't here: the kernel made it "
				 "while it ran (a BPF program, or such), and "
				 "only its name was recorded");
	if (!dso_name_is_kernel(at->dso->path))
		return error_new("its code isn't here: that of the kernel's "
				 "modules isn't looked for");
	return error_new("its code isn't here; that of the kernel is "
			 "in vmlinux, which --vmlinux names");
}

struct error *code_missing(struct files *files, const struct location *at)
{
	const struct dso *dso = files_dso(files, at->number);
	uint32_t pid;

	if (at->dso->is_kernel)
		return missing_of_kernel(at);
	if (maps_is_anonymous(dso->path) || survey_is_timed(dso->path, &pid))
		return error_new("its code was made at run time, and is in no "
				 "jitdump that is here");
	if (!files_build_id(files, at->number).size &&
		access(at->dso->path, R_OK) == 0)
		return error_new("its code isn't shown: %s is here, but no "
				 "build ID was recorded, which would tell "
				 "whether it is what ran",
			at->dso->path);
	if (files_places(files, at->number).has_changed)
		return error_new("its code isn't here: %s: another file than "
				 "the recorded one is there now",
			at->dso->path);
	return error_new("its code isn't here: %s, as it was recorded, isn't",
		at->dso->path);
}
