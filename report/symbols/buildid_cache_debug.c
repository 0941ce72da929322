/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds debug files, dwz files, and vmlinux. */
#include "config.h"

#include <libgen.h>

#include "common/util/alloc.h"
#include "report/symbols/buildid_cache.h"
#include "report/symbols/buildid_cache_private.h"

/*
 * Tries the debug file NAME in the folder of PATH, in its .debug subfolder, and
 * below each folder of debug files.
 */
static bool try_link_name(
	struct file_search *search, const char *path, const char *name)
{
	_cleanup_free_ char *copy = xstrdup(path);
	const char *folder = dirname(copy);

	if (file_search_try(search, xasprintf("%s/%s", folder, name)) ||
		file_search_try(
			search, xasprintf("%s/.debug/%s", folder, name)))
		return true;
	array_each(&search->cache->roots.names, root)
		if (file_search_try(search,
			    xasprintf("%s%s/%s", *root, folder, name)) ||
			file_search_try(
				search, xasprintf("%s/%s", *root, name)))
			return true;
	return false;
}

/*
 * Tries the file that .gnu_debuglink of MAPPED names, beside MAPPED and beside
 * the path RECORDED, which may differ.
 */
static bool try_debuglink(struct file_search *search, const char *recorded,
	const struct found_file *mapped)
{
	const char *name = mapped->elf
		? elf_file_debuglink(mapped->elf, &search->crc)
		: NULL;

	if (!name || strchr(name, '/'))
		return false;
	return try_link_name(search, mapped->path, name) ||
		(recorded[0] == '/' && try_link_name(search, recorded, name));
}

void buildid_cache_find_debug(struct buildid_cache *cache,
	const struct file_query *query, const struct found_file *mapped,
	struct found_file *ret)
{
	static const char *const names[] = { ".debug", "/debug", NULL };
	struct file_search search = {
		.cache = cache,
		.id = query->build_id,
		.ret = ret,
	};

	memset(ret, 0, sizeof(*ret));
	if (!search.id.size && mapped->elf)
		elf_file_build_id(mapped->elf, &search.id);
	if (!file_search_try_id(&search, names) &&
		!try_debuglink(&search, query->dso->path, mapped) &&
		search.id.size &&
		!file_search_try_folders(&search, query->dso->path) &&
		query->dso->path[0] == '/')
		file_search_try_servers(
			&search, SERVERS_DEBUG, query->dso->path);
}

/*
 * Tries the dwz file NAME, to which the file at path DEBUG refers. dwz writes
 * names relative to the folder of that file.
 */
static bool try_alt_name(
	struct file_search *search, const char *debug, const char *name)
{
	_cleanup_free_ char *copy = xstrdup(debug);

	if (name[0] == '/')
		return file_search_try(search,
			       buildid_cache_rooted(search->cache, name)) ||
			file_search_try(search, xstrdup(name));
	return file_search_try(search, xasprintf("%s/%s", dirname(copy), name));
}

void buildid_cache_find_alt(struct buildid_cache *cache,
	const struct found_file *debug, struct found_file *ret)
{
	static const char *const names[] = { ".debug", "/debug", NULL };
	struct file_search search = { .cache = cache, .ret = ret };
	const char *name = elf_file_altlink(debug->elf, &search.id);

	memset(ret, 0, sizeof(*ret));
	if (name && !file_search_try_id(&search, names) &&
		!try_alt_name(&search, debug->path, name))
		file_search_try_servers(&search, SERVERS_DEBUG, name);
}

void buildid_cache_find_kernel(struct buildid_cache *cache,
	const struct build_id *id, const char *release, struct found_file *ret)
{
	static const char *const names[] = { ".debug", "/vmlinux", "/elf",
		"/debug", NULL };
	static const char *const paths[] = { "/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux", "/boot/vmlinux-%s",
		"/lib/modules/%s/vmlinux", "/lib/modules/%s/build/vmlinux" };
	struct file_search search = { .cache = cache, .id = *id, .ret = ret };
	size_t i;

	memset(ret, 0, sizeof(*ret));
	if (!id->size || file_search_try_id(&search, names))
		return;
	for (i = 0; release && !strchr(release, '/') && i < ARRAY_SIZE(paths);
		i++) {
		const char *where = strstr(paths[i], "%s");
		_cleanup_free_ char *path =
			xasprintf("%.*s%s%s", (int)(where - paths[i]), paths[i],
				release, where + strlen("%s"));

		if (file_search_try(&search, buildid_cache_rooted(cache, path)))
			return;
	}
	file_search_try_servers(&search, SERVERS_DEBUG, "vmlinux");
}
