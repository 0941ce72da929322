/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which files can have a language runtime. */
#include "config.h"

#include "common/maps/runtime_dso.h"

#include "common/util/base.h"

#include "tests/unit/testing.h"

static void runtimes_are_recognized_by_file_name_and_version(void **state)
{
	static const struct {
		enum runtime_number runtime;
		const char *path;
		bool has_runtime;
	} rows[] = {
		{ RUNTIME_PYTHON, "/usr/bin/python3.11", true },
		{ RUNTIME_PYTHON, "/usr/lib/libpython3.6m.so.1.0", true },
		{ RUNTIME_PYTHON, "python2.7", true },
		{ RUNTIME_PYTHON, "/usr/bin/pythonic", false },
		{ RUNTIME_PYTHON, "/usr/bin/python2.7 (deleted)", true },
		{ RUNTIME_PYTHON, "/usr/bin/python3.13td", true },
		{ RUNTIME_PHP, "/usr/bin/php8.2", true },
		{ RUNTIME_PHP, "/usr/bin/php-cgi8.2", true },
		{ RUNTIME_PHP, "/usr/bin/php-cgi", true },
		{ RUNTIME_PHP, "/usr/lib/apache2/modules/libphp8.2.so", true },
		{ RUNTIME_PHP, "/usr/sbin/php-fpm8.2", true },
		{ RUNTIME_RUBY, "/usr/lib/libruby-3.1.so.3.1.2", true },
		{ RUNTIME_PERL, "/usr/lib/libperl.so.5.36", true },
		{ RUNTIME_PERL, "/usr/bin/perl5.36-x86_64-linux-gnu", true },
		{ RUNTIME_JAVA, "/jvm/lib/server/libjvm.so", true },
		{ RUNTIME_JAVA, "/jvm/lib/server/libjvmcicompiler.so", false },
		{ RUNTIME_NODE, "/usr/bin/node", true },
		{ RUNTIME_NODE, "/usr/bin/nodejs", true },
		{ RUNTIME_NODE, "/opt/node-18", true },
		{ RUNTIME_NODE, "/usr/lib/libnode.so.108", true },
		{ RUNTIME_NODE, "/usr/bin/node-exporter", false },
		{ RUNTIME_LUAJIT, "/usr/bin/luajit", true },
		{ RUNTIME_LUAJIT, "/usr/bin/luajit-2.1.0-beta3", true },
		{ RUNTIME_LUAJIT, "/usr/lib/libluajit-5.1.so.2.1.0", true },
		{ RUNTIME_LUAJIT, "/usr/bin/luajit-2.1.0x3", false },
		{ RUNTIME_LUAJIT, "/usr/bin/luajit/other", false },
		{ RUNTIME_LUAJIT, "/usr/bin/python3", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(
			runtime_dso_has_file(rows[i].runtime, rows[i].path),
			rows[i].has_runtime);
}

static void compilers_are_no_interpreters(void **state)
{
	(void)state;
	assert_true(runtime_dso_has_interpreter("/usr/bin/php-cgi8.2"));
	assert_false(runtime_dso_has_interpreter("/usr/bin/node"));
	assert_false(runtime_dso_has_interpreter("/jvm/lib/libjvm.so"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			runtimes_are_recognized_by_file_name_and_version),
		cmocka_unit_test(compilers_are_no_interpreters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
