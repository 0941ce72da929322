/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/dso_name.h"

#include <inttypes.h>

#include "common/maps/maps.h"
#include "common/util/alloc.h"
#include "report/survey/survey.h"

bool dso_name_is_kernel(const char *path)
{
	return string_starts(path, "[kernel.kallsyms]") ||
		string_starts(path, "[guest.kernel.kallsyms");
}

void dso_name_find(const struct dso *dso, struct dso_name *ret)
{
	const char *base = strrchr(dso->path, '/');
	uint32_t pid = dso->pid;
	char *c;

	ret->path = xstrdup(dso->path);
	if (dso_name_is_kernel(dso->path)) {
		/* Remove "_text" from "[kernel.kallsyms]_text". */
		free(ret->path);
		ret->path = xasprintf(
			"%.*s]", (int)strcspn(dso->path, "]"), dso->path);
		ret->shown = xstrdup(ret->path);
	} else if (dso->pid == MAPS_KERNEL_PID && dso->path[0] == '[') {
		ret->shown = xstrdup(dso->path);
	} else if (dso->pid == MAPS_KERNEL_PID) {
		/* "[ext4]" for "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz" */
		base = base ? base + 1 : dso->path;
		ret->shown = xasprintf("[%.*s]", (int)strcspn(base, "."), base);
		for (c = ret->shown; *c; c++)
			if (*c == '-')
				*c = '_';
	} else if ((maps_is_anonymous(dso->path) && !dso->is_data) ||
		survey_is_timed_jit(dso->path, &pid)) {
		free(ret->path);
		ret->path = xasprintf("/tmp/perf-%u.map", pid);
		ret->shown = xasprintf("[JIT] tid %u", pid);
	} else {
		ret->shown = xstrdup(base && base[1] ? base + 1 : dso->path);
	}
}

void dso_name_deinit(struct dso_name *name)
{
	free(name->shown);
	free(name->path);
}

/* --- paths with several files ------------------------------------------ */

/* Number of hex digits of a build ID in the mark of a DSO's name. */
#define MARK_DIGITS 8

/*
 * The first files recorded at one path, and whether other files had the path.
 */
struct dso_build {
	const char *path;		    /* borrowed */
	const struct dso *by_id, *by_inode; /* the first file with a build ID,
	                                     * and without one; borrowed */
	const struct maps *maps;	    /* maps that contain .by_inode */
	/* several build IDs, and several inodes, were recorded at the path */
	bool has_ids, has_inodes;
};

static struct dso_build *find_build_path(
	const struct dso_builds *builds, const char *path)
{
	uint64_t hash = hash_string(path);

	hash_each_match(&builds->by_path, hash, i)
		if (string_is(builds->paths.at[i].path, path))
			return &builds->paths.at[i];
	return NULL;
}

void dso_builds_add(struct dso_builds *builds, const struct maps *maps)
{
	uint32_t i;

	for (i = 0; i < maps_n_dsos(maps); i++) {
		const struct dso *dso = maps_dso(maps, i);
		struct dso_build *build;

		/*
		 * Files of memfd_create() are not compared: unrelated ones
		 * often have the same name.
		 */
		if (dso->path[0] != '/' || dso->pid == MAPS_KERNEL_PID ||
			maps_is_anonymous(dso->path) ||
			string_starts(dso->path, "/memfd:") ||
			dso->code_offset == UINT64_MAX)
			continue;
		build = find_build_path(builds, dso->path);
		if (!build) {
			hash_insert(&builds->by_path, hash_string(dso->path),
				(uint32_t)builds->paths.n);
			build = array_push(&builds->paths);
			build->path = dso->path;
		}
		if (dso->build_id.size) {
			if (!build->by_id)
				build->by_id = dso;
			build->has_ids |= !build_id_equal(
				&build->by_id->build_id, &dso->build_id);
		} else if (dso->inode) {
			if (build->maps != maps)
				build->by_inode = dso;
			build->maps = maps;
			/*
			 * The inode generation is ignored: /proc/PID/maps does
			 * not contain it.
			 */
			build->has_inodes |=
				build->by_inode->major != dso->major ||
				build->by_inode->minor != dso->minor ||
				build->by_inode->inode != dso->inode;
		}
	}
}

void dso_builds_deinit(struct dso_builds *builds)
{
	array_free(&builds->paths);
	hash_free(&builds->by_path);
}

bool dso_builds_have_inodes(
	const struct dso_builds *builds, const struct dso *dso)
{
	const struct dso_build *build = find_build_path(builds, dso->path);

	return build && !dso->build_id.size && dso->inode && build->has_inodes;
}

char *dso_builds_mark(const struct dso_builds *builds, const struct dso *dso)
{
	const struct dso_build *build = find_build_path(builds, dso->path);
	char text[BUILD_ID_TEXT];

	if (build && dso->build_id.size && build->has_ids)
		return xasprintf(" [build %.*s]", MARK_DIGITS,
			build_id_text(&dso->build_id, text));
	if (dso_builds_have_inodes(builds, dso))
		return xasprintf(" [inode %" PRIu64 "]", dso->inode);
	return xstrdup("");
}
