/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/module_name.h"

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

/* Asserts the module of a name or file; NULL: none. IS_SYSTEM: of a standard library. */
static void assert_module(struct module module, const char *what,
	const char *wanted, bool is_system)
{
	if (module.is_system != is_system || (module.name && !*module.name) ||
		!string_is(module.name ?: "", wanted ?: ""))
		fail_msg("'%s' has the module '%s'%s", what,
			module.name ?: "none",
			module.is_system ? ", of the system" : "");
	free(module.name);
}

static void assert_own(const char *dso, const char *name, const char *wanted)
{
	assert_module(module_of_name(dso, name), name, wanted, false);
}

static void assert_library(
	const char *dso, const char *name, const char *wanted)
{
	assert_module(module_of_name(dso, name), name, wanted, true);
}

static void assert_file(const char *path, const char *wanted, bool is_system)
{
	assert_module(module_of_file(path), path, wanted, is_system);
}

static void the_module_of_a_cpp_function_is_its_namespace_or_class(
	void **state _unused_)
{
	assert_own("/bin/a", "sim::Gravity::at", "sim");
	assert_own("/bin/a", "Report::add", "Report");
	assert_own("/bin/a", "Table<std::string>::find<int>", "Table");
	assert_own("/bin/a", "void net::send<ui::Box>", "net");
	assert_own("/bin/a", "(anonymous namespace)::Cache::get", "Cache");
	assert_own("/bin/a", "(anonymous namespace)::helper", NULL);
	assert_own("/bin/a", "sim::operator<< <ui::Box>", "sim");
	assert_own("/bin/a", "main", NULL);
	assert_own("/bin/a", "main::{lambda}::operator()", NULL);
	assert_own("/bin/a", "sim::step::{lambda}::operator()", "sim");
	assert_own("/bin/a", "work(std::vector<int>)", NULL);
	assert_library("/bin/a", "std::vector<sim::Body>::push_back", "std");
	assert_library("/bin/a", "std::__sort<sim::Body*> (inlined)", "std");
}

static void the_module_of_a_rust_function_is_its_crate(void **state _unused_)
{
	assert_own("/bin/a", "app::store::Store::add", "app");
	assert_own("/bin/a", "app::main::{{closure}}", "app");
	assert_own("/bin/a", "<app::store::Store as core::fmt::Debug>::fmt",
		"app");
	assert_own(
		"/bin/a", "<T as serde::ser::Serialize>::serialize", "serde");
	assert_library("/bin/a", "core::slice::memchr::memchr_aligned", "core");
	assert_library("/bin/a",
		"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop", "alloc");
}

static void the_module_of_a_go_function_is_its_package(void **state _unused_)
{
	assert_own("/bin/a", "main.main", "main");
	assert_own("/bin/a", "main.(*Store).Sort.func1", "main");
	assert_own("/bin/a", "example.org/app/store.(*Store).Sum",
		"example.org/app/store");
	assert_own(
		"/bin/a", "gopkg.in/yaml%2ev3.Unmarshal", "gopkg.in/yaml.v3");
	assert_own("/bin/a", "example.org/list.Map[go.shape.int,a/b.T]",
		"example.org/list");
	assert_library("/bin/a", "runtime.mallocgc", "runtime");
	assert_library("/bin/a", "encoding/json.(*decodeState).object",
		"encoding/json");
	/* Names of C. */
	assert_own("/bin/a", "main.cold", NULL);
	assert_own("/bin/a", "main._omp_fn.0", NULL);
	assert_own("/bin/a", "helper.constprop.0", NULL);
	assert_own("/bin/a", "table.lookup", NULL);
}

static void the_module_of_a_java_method_is_its_package(void **state _unused_)
{
	assert_own(
		"[java]", "com.example.web.Server$Job.run", "com.example.web");
	assert_own("[java]", "App.main", "App");
	assert_own("[java]", "com.example.App.<init>", "com.example");
	assert_own("[java]", "App$$Lambda$1.apply", "App");
	assert_own("[java]", "StubRoutines (2)", NULL);
	assert_own("[java]", "I2C/C2I adapters", NULL);
	assert_own("[java]", "$Proxy.run", NULL);
	assert_library("[java]", "java.util.HashMap.merge", "java.util");
	assert_library("[java]", "jdk.internal.misc.Unsafe.<clinit>",
		"jdk.internal.misc");
	/* Of a perf map. */
	assert_own("[JIT] tid 7", "Lcom/example/App;::run", "com.example");
}

static void the_module_of_jit_code_is_its_package_or_folder(
	void **state _unused_)
{
	assert_own("[JIT] tid 7", "JS:*work /srv/app/lib/db.js:2:11", "lib");
	assert_own("[JIT] tid 7",
		"JS:~get /srv/app/node_modules/express/lib/router.js:9:1",
		"express");
	assert_library("[JIT] tid 7", "JS:*read node:fs:30:1", "node:fs");
	assert_own("[JIT] tid 7", "py::work:/srv/app/jobs/mail.py", "jobs");
	assert_own("[JIT] tid 7", "0x00007f0000001000", NULL);
	assert_own("[JIT] tid 7", "Builtin:CompileLazy", NULL);
}

static void code_of_an_interpreter_is_one_module(void **state _unused_)
{
	assert_own("/usr/bin/node", "v8::internal::Heap::CollectGarbage", "v8");
	assert_own("/usr/bin/python3.11", "llvm::Value::getName", NULL);
	assert_own("/opt/jdk/lib/server/libjvm.so", "G1Policy::begin", NULL);
	assert_own("[node]", "LoadIC", NULL);
	assert_true(module_is_runtime("/usr/lib/libpython3.11.so.1.0"));
	assert_false(module_is_runtime("/usr/bin/pythonic"));
}

static void libraries_of_the_system_are_recognized_by_name(
	void **state _unused_)
{
	static const char *const base[] = { "libc.so.6", "libc-2.31.so",
		"ld-linux-x86-64.so.2", "libstdc++.so.6.0.30", "[vdso]",
		"libnss_files-2.31.so", "libgcc_s.so.1" };
	static const char *const others[] = { "libcrypto.so.3", "libclang.so",
		"libmine.so", "ldd", "app", "libc-client.so.2007" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(base); i++)
		assert_true(module_is_base_library(base[i]));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(module_is_base_library(others[i]));
	assert_true(
		module_is_system_library("/usr/lib/x86_64-linux-gnu/libz.so"));
	assert_true(module_is_system_library("/lib64/libz.so.1"));
	assert_true(
		module_is_system_library("/nix/store/x-glibc/lib/libc.so.6"));
	assert_false(module_is_system_library("/usr/local/lib/libz.so"));
	assert_false(module_is_system_library("/libexec/app"));
	assert_false(module_is_system_library("/home/me/lib/libmine.so"));
	/* Libraries of packages. */
	assert_own("/opt/lib/python3.11/site-packages/numpy/_core.so",
		"np::sort", "numpy");
	assert_library("/opt/lib/python3.11/lib-dynload/_json.so", "scan",
		"lib-dynload");
	/* A namespace is a module; classes are not. */
	assert_own("/usr/lib/libLLVM.so", "llvm::Value::getName", "llvm");
	assert_library(
		"/usr/lib/libQt5Gui.so", "QPainter::drawRect", "QPainter");
}

static void the_module_of_a_source_file_is_its_package_or_folder(
	void **state _unused_)
{
	assert_file("/home/me/app/src/net/parser.c", "net", false);
	assert_file("file:///srv/app/db.mjs", "app", false);
	assert_file("/srv/node_modules/@scope/db/index.js", "@scope/db", false);
	assert_file("/usr/lib/python3/dist-packages/numpy/core/a.py", "numpy",
		false);
	assert_file(
		"/opt/venv/lib/python3.11/site-packages/six.py", "six", false);
	assert_file("/opt/python/lib/python3.11/json/encoder.py", "json", true);
	assert_file("/opt/python/lib/python3.11/re.py", "re", true);
	assert_file("node:internal/process/promises", "node:internal", true);
	assert_file("<frozen importlib._bootstrap>", "<frozen importlib", true);
	assert_file("/usr/include/stdio.h", NULL, true);
	assert_file("parser.c", NULL, false);
	assert_file("/parser.c", NULL, false);
	assert_file("./parser.c", NULL, false);
	assert_file("", NULL, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_module_of_a_cpp_function_is_its_namespace_or_class),
		cmocka_unit_test(the_module_of_a_rust_function_is_its_crate),
		cmocka_unit_test(the_module_of_a_go_function_is_its_package),
		cmocka_unit_test(the_module_of_a_java_method_is_its_package),
		cmocka_unit_test(
			the_module_of_jit_code_is_its_package_or_folder),
		cmocka_unit_test(code_of_an_interpreter_is_one_module),
		cmocka_unit_test(
			libraries_of_the_system_are_recognized_by_name),
		cmocka_unit_test(
			the_module_of_a_source_file_is_its_package_or_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
