/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/module_name.h"

#include <ctype.h>

#include "common/maps/runtime_dso.h"
#include "common/util/alloc.h"
#include "report/util/glue.h"
#include "report/util/name_parts.h"

/* Returns a copy of the SIZE bytes at NAME, or NULL if there are none. */
static char *copy_module_name(const char *name, size_t size)
{
	return size ? xstrndup(name, size) : NULL;
}

/* Returns the index of TEXT, of SIZE bytes, in the N strings LIST; N: none. */
static size_t find_text(
	const char *const *list, size_t n, const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strlen(list[i]) == size && !memcmp(list[i], text, size))
			break;
	return i;
}

/* --- libraries ----------------------------------------------------------- */

bool module_is_base_library(const char *name)
{
	static const char *const names[] = { "libc", "ld", "ld-linux",
		"ld-linux-x86-64", "ld-linux-aarch64", "ld-musl-x86_64",
		"ld-musl-aarch64", "ld64", "libm", "libmvec", "libpthread",
		"librt", "libdl", "libresolv", "libutil", "libstdc++",
		"libgcc_s", "libc++", "libc++abi", "linux-vdso", "[vdso]",
		"[vsyscall]" };
	const char *end = strstr(name, ".so");
	size_t size = end ? (size_t)(end - name) : strlen(name);
	const char *version = memrchr(name, '-', size);

	/* Older files are libc-2.31.so. */
	if (version &&
		strspn(version, "-0123456789.") == strcspn(version, "so") &&
		memchr(version, '.', (size_t)(name + size - version)))
		size = (size_t)(version - name);
	return find_text(names, ARRAY_SIZE(names), name, size) <
		ARRAY_SIZE(names) ||
		string_starts(name, "libnss_");
}

/* Returns true if PATH is in a folder of the system: /lib, /usr/lib32, ... */
static bool is_in_system_folder(const char *path)
{
	if (string_starts(path, "/usr/"))
		path += strlen("/usr");
	if (!string_starts(path, "/lib"))
		return false;
	path += strlen("/lib");
	path += strspn(path, "0123456789x");
	return *path == '/';
}

bool module_is_system_library(const char *path)
{
	return is_in_system_folder(path) ||
		module_is_base_library(path_base(path));
}

/* --- source files -------------------------------------------------------- */

/* Returns the part of PATH behind the last FOLDER in it, or NULL. */
static const char *find_behind(const char *path, const char *folder)
{
	const char *found = NULL;

	while ((path = strstr(path, folder))) {
		path += strlen(folder);
		found = path;
	}
	return found;
}

/* Returns the package that PATH begins with: "name/...", "@scope/name/...". */
static char *first_folder(const char *path)
{
	size_t size = strcspn(path, "/");
	const char *dot;

	if (*path == '@' && path[size])
		size += 1 + strcspn(path + size + 1, "/");
	dot = memchr(path + 1, '.', size ? size - 1 : 0);
	/* A package of one file, "six.py". */
	return copy_module_name(
		path, dot && !path[size] ? (size_t)(dot - path) : size);
}

/* Returns the package of PATH if a package manager installed it, or NULL. */
static char *installed_package(const char *path)
{
	static const char *const folders[] = { "/node_modules/",
		"/site-packages/", "/dist-packages/", "/gems/" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(folders); i++) {
		const char *package = find_behind(path, folders[i]);

		if (package && *package)
			return first_folder(package);
	}
	return NULL;
}

/* Returns the module of PATH, a file of a package or of a standard library. */
static struct module package_of_file(const char *path)
{
	struct module module = { .name = installed_package(path) };

	if (!module.name) {
		const char *python = find_behind(path, "/lib/python");

		if (string_starts(path, "node:") ||
			string_starts(path, "<frozen "))
			module.name = first_folder(path);
		else if (python && strchr(python, '/'))
			module.name = first_folder(strchr(python, '/') + 1);
		module.is_system = module.name;
	}
	return module;
}

struct module module_of_file(const char *path)
{
	struct module module;
	const char *name, *folder;

	if (string_starts(path, "file://"))
		path += strlen("file://");
	module = package_of_file(path);
	if (module.name)
		return module;
	module.is_system = is_in_system_folder(path) ||
		string_starts(path, "/usr/include/") ||
		string_starts(path, "/usr/share/");
	name = path_base(path);
	if (module.is_system || name < path + 2)
		return module;
	for (folder = name - 1; folder > path && folder[-1] != '/';)
		folder--;
	if (*folder != '.' && *folder != '/')
		module.name = xstrndup(folder, (size_t)(name - 1 - folder));
	return module;
}

/* --- names --------------------------------------------------------------- */

/* Returns whether a function of Go's standard library begins with this folder. */
static bool is_go_library(const char *package, size_t size)
{
	static const char *const folders[] = { "archive", "bufio", "bytes",
		"cmp", "compress", "container", "context", "crypto", "database",
		"debug", "embed", "encoding", "errors", "expvar", "flag", "fmt",
		"go", "hash", "html", "image", "index", "internal", "io",
		"iter", "log", "maps", "math", "mime", "net", "os", "path",
		"plugin", "reflect", "regexp", "runtime", "slices", "sort",
		"strconv", "strings", "sync", "syscall", "testing", "text",
		"time", "unicode", "unique", "unsafe", "vendor", "weak" };
	const char *slash = memchr(package, '/', size);

	return find_text(folders, ARRAY_SIZE(folders), package,
		       slash ? (size_t)(slash - package) : size) <
		ARRAY_SIZE(folders);
}

/*
 * Returns the package of NAME, "example.org/a/b.(*Type).Method". Without a folder, only
 * the packages of the standard library and "main" are known from names of other
 * languages. Returns NULL if NAME is not of Go.
 */
static char *go_package(struct name_part name, bool *is_system_ret)
{
	size_t size = strcspn(name.at, "([{<: "), i;
	const char *slash, *dot;
	char *package, *escaped;

	size = MIN(size, name.size);
	slash = memrchr(name.at, '/', size);
	i = slash ? (size_t)(slash - name.at) : 0;
	dot = memchr(name.at + i, '.', size - i);
	if (!dot || dot == name.at)
		return NULL;
	size = (size_t)(dot - name.at);
	*is_system_ret = is_go_library(name.at, size);
	if (!slash &&
		((!*is_system_ret && strncmp(name.at, "main.", 5)) ||
			(!isalpha((unsigned char)dot[1]) && dot[1] != '(')))
		return NULL;
	package = xstrndup(name.at, size);
	while ((escaped = strstr(package, "%2e"))) {
		*escaped = '.';
		memmove(escaped + 1, escaped + 3, strlen(escaped + 3) + 1);
	}
	return package;
}

/* Returns whether NAME is in a function, and not in a namespace or class. */
static bool is_in_function(struct name_part name)
{
	return name_part_begins(name, "{lambda") ||
		name_part_begins(name, "lambda(") ||
		name_part_begins(name, "<lambda") ||
		name_part_begins(name, "$_");
}

/* Returns the outermost scope of NAME, without template arguments, or NULL. */
static char *outermost_scope(struct name_part name)
{
	size_t depth = 0, start = 0, i = 0;

	while (i < name.size && (depth || !name_operator_length(name.at, i))) {
		struct name_part rest = { name.at + i, name.size - i };
		struct name_part scope = { name.at + start, i - start };

		if (depth || !name_part_begins(rest, "::")) {
			i += name_step(name.at, i, &depth);
			continue;
		}
		i += 2;
		if (scope.size && !name_part_is(scope, "(anonymous namespace)"))
			return is_in_function((struct name_part){
				       name.at + i, name.size - i })
				? NULL
				: copy_module_name(scope.at,
					  MIN(scope.size,
						  strcspn(scope.at, "<[")));
		start = i;
	}
	return NULL;
}

/* Returns the module of the machine code NAME. */
static struct module native_module(const char *name)
{
	struct name_part part = name_part_of(name);
	struct module module = { .is_system = glue_is_name(name) };
	struct name_rust_impl impl;

	module.name = go_package(part, &module.is_system);
	if (module.name)
		return module;
	if (name_part_begins(part, "<") && name_rust_impl_split(part, &impl)) {
		module.name = outermost_scope(name_rust_type_path(impl.type));
		if (!module.name)
			module.name = outermost_scope(impl.trait);
	} else {
		module.name = outermost_scope(part);
	}
	return module;
}

/* Returns the package of NAME, "com.example.Class.method", or its class. */
static struct module java_module(const char *name)
{
	static const char *const libraries[] = { "java.", "javax.", "jdk.",
		"sun.", "com.sun." };
	size_t size = strcspn(name, " (<:;"), i;
	bool is_split = name[size] == ';' || string_starts(name + size, "::");
	const char *method = is_split ? name + size : memrchr(name, '.', size);
	struct module module = { 0 };
	const char *class;

	if (!method || method == name)
		return module;
	class = memrchr(name, '.', (size_t)(method - name));
	if (!class)
		class = MIN(method, name + strcspn(name, "$"));
	module.name = copy_module_name(name, (size_t)(class - name));
	for (i = 0; i < ARRAY_SIZE(libraries); i++)
		module.is_system |= string_starts(name, libraries[i]);
	return module;
}

bool module_is_runtime(const char *dso)
{
	return runtime_dso_has_interpreter(dso) ||
		runtime_dso_has_file(RUNTIME_JAVA, dso);
}

struct module module_of_name(const char *dso, const char *name)
{
	enum runtime_number runtime = runtime_dso_find(dso);
	struct module module;

	if (runtime == RUNTIME_JAVA)
		return java_module(name);
	/*
	 * JIT code is named as runtimes write it to perf maps:
	 * "JS:*work /a/b.js:2:11", "py::work:/a/b.py",
	 * "Lcom/example/Class;::method".
	 */
	if (string_starts(dso, MODULE_JIT_NAME)) {
		const char *file = strrchr(name, ' ');
		size_t size;
		_cleanup_free_ char *copy = NULL;
		char *c;

		if (string_starts(name, "py::"))
			return module_of_file(strrchr(name, ':') + 1);
		if (file &&
			(strchr(file, '/') || string_starts(file, " node:"))) {
			size = strlen(file + 1);
			while (size && strchr("0123456789:", file[size]))
				size--;
			copy = xstrndup(file + 1, size);
			return module_of_file(copy);
		}
		copy = xstrdup(name + (*name == 'L' && strchr(name, ';')));
		for (c = copy; *c && *c != ';'; c++)
			if (*c == '/')
				*c = '.';
		return java_module(copy);
	}
	if (runtime < RUNTIMES || module_is_runtime(dso))
		return (struct module){ 0 };
	module = package_of_file(dso);
	if (!module.name)
		module = native_module(name);
	/*
	 * Libraries of the system are muted. Those with a namespace, which is in
	 * lower case by convention, are used as a part of the program.
	 */
	if (module.name && module_is_system_library(dso) &&
		!islower((unsigned char)*module.name))
		module.is_system = true;
	return module;
}
