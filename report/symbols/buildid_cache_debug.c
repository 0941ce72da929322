/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug files: by build ID, by debuglink, and what several have in common. */
#include "config.h"

#include <libgen.h>

#include "common/util/alloc.h"
#include "report/symbols/buildid_cache.h"
#include "report/symbols/buildid_cache_private.h"

/* "NAME" of the file that stands at PATH: beside it, and in the usual places. */
static bool try_link(struct search *search, const char *path, const char *name)
{
	_cleanup_free_ char *copy = xstrdup(path);
	const char *folder = dirname(copy);

	if (store_try(search, xasprintf("%s/%s", folder, name)) ||
		store_try(search, xasprintf("%s/.debug/%s", folder, name)))
		return true;
	array_each(&search->store->roots.names, root)
		if (store_try(search,
			    xasprintf("%s%s/%s", *root, folder, name)) ||
			store_try(search, xasprintf("%s/%s", *root, name)))
			return true;
	return false;
}

/* As the file was recorded, and as it was found, which may be elsewhere. */
static bool try_debuglink(struct search *search, const char *recorded,
	const struct store_file *mapped)
{
	const char *name = mapped->elf
		? elf_file_debuglink(mapped->elf, &search->crc)
		: NULL;

	if (!name || strchr(name, '/'))
		return false;
	return try_link(search, mapped->path, name) ||
		(recorded[0] == '/' && try_link(search, recorded, name));
}

void store_find_debug(struct store *store, const struct store_wish *wish,
	const struct store_file *mapped, struct store_file *ret)
{
	static const char *const names[] = { ".debug", "/debug", NULL };
	struct search search = {
		.store = store,
		.id = wish->build_id,
		.ret = ret,
	};

	memset(ret, 0, sizeof(*ret));
	if (!search.id.size && mapped->elf)
		elf_file_build_id(mapped->elf, &search.id);
	if (!store_try_id(&search, names) &&
		!try_debuglink(&search, wish->dso->path, mapped) &&
		search.id.size &&
		!store_try_folders(&search, wish->dso->path) &&
		wish->dso->path[0] == '/')
		store_try_servers(&search, SERVERS_DEBUG, wish->dso->path);
}

/* dwz writes the name as it is seen from the debug file. */
static bool try_alt_name(
	struct search *search, const char *debug, const char *name)
{
	_cleanup_free_ char *copy = xstrdup(debug);

	if (name[0] == '/')
		return store_try(search, store_rooted(search->store, name)) ||
			store_try(search, xstrdup(name));
	return store_try(search, xasprintf("%s/%s", dirname(copy), name));
}

void store_find_alt(struct store *store, const struct store_file *debug,
	struct store_file *ret)
{
	static const char *const names[] = { ".debug", "/debug", NULL };
	struct search search = { .store = store, .ret = ret };
	const char *name = elf_file_altlink(debug->elf, &search.id);

	memset(ret, 0, sizeof(*ret));
	if (name && !store_try_id(&search, names) &&
		!try_alt_name(&search, debug->path, name))
		store_try_servers(&search, SERVERS_DEBUG, name);
}

void store_find_kernel(struct store *store, const struct build_id *id,
	const char *release, struct store_file *ret)
{
	static const char *const names[] = { ".debug", "/vmlinux", "/elf",
		"/debug", NULL };
	static const char *const paths[] = { "/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux", "/boot/vmlinux-%s",
		"/lib/modules/%s/vmlinux", "/lib/modules/%s/build/vmlinux" };
	struct search search = { .store = store, .id = *id, .ret = ret };
	size_t i;

	memset(ret, 0, sizeof(*ret));
	if (!id->size || store_try_id(&search, names))
		return;
	for (i = 0; release && !strchr(release, '/') && i < ARRAY_SIZE(paths);
		i++) {
		const char *where = strstr(paths[i], "%s");
		_cleanup_free_ char *path = xasprintf("%.*s%s%s",
			(int)(where - paths[i]), paths[i], release,
			where + strlen("%s"));

		if (store_try(&search, store_rooted(store, path)))
			return;
	}
	store_try_servers(&search, SERVERS_DEBUG, "vmlinux");
}
