/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/packages.h"

#include "tests/unit/make_folder.h"
#include "tests/unit/testing.h"

static void a_file_belongs_to_the_package_whose_list_has_it(
	void **state _unused_)
{
	struct packages packages = { 0 };
	struct folder folder;

	folder_make(&folder);
	folder_put(&folder, "libc6:amd64.list",
		"/.\n/lib\n/lib/x86_64-linux-gnu/libc.so.6\n");
	folder_put(&folder, "python3.11.list",
		"/.\n/usr/bin\n/usr/bin/python3.11\n/usr/bin/last");
	folder_put(&folder, "python3.11.md5sums", "/usr/bin/none\n");
	array_push(&packages.files)->path =
		"/usr/lib/x86_64-linux-gnu/libc.so.6";
	array_push(&packages.files)->path = "/usr/bin/python3.11";
	array_push(&packages.files)->path = "/usr/bin/none";
	array_push(&packages.files)->path = "/usr/bin/last";
	packages_find(&packages, folder.path);
	/* /lib and /usr/lib are the same folder. */
	assert_string_equal(packages.files.at[0].package, "libc6");
	assert_string_equal(packages.files.at[1].package, "python3.11");
	assert_null(packages.files.at[2].package);
	assert_string_equal(packages.files.at[3].package, "python3.11");
	packages_deinit(&packages);
	folder_remove(&folder);
}

static void without_package_lists_no_file_has_a_package(void **state _unused_)
{
	struct packages packages = { 0 };

	array_push(&packages.files)->path = "/usr/bin/none";
	packages_find(&packages, "/no/such/folder");
	assert_null(packages.files.at[0].package);
	packages_deinit(&packages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_file_belongs_to_the_package_whose_list_has_it),
		cmocka_unit_test(without_package_lists_no_file_has_a_package),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
