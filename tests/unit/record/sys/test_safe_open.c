/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "tests/unit/make_folder.h"
#include "record/sys/safe_open.h"

/*
 * A folder as a container's root, and beside it what the container must not
 * reach:
 *
 *	secret
 *	root/plain  root/folder/deep  root/fifo
 *	root/inner    -> /plain, in the container's own sense
 *	root/outer    -> TOP/secret
 *	root/above    -> ../../../../secret
 *	root/way      -> folder
 *	root/magic    -> /proc/self/root
 */
struct fixture {
	struct folder top;
	int root;
};

static void link_to(const struct fixture *f, const char *to, const char *name)
{
	assert_int_equal(symlinkat(to, f->root, name), 0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char path[128];

	assert_non_null(f);
	folder_make(&f->top);
	folder_put(&f->top, "secret", "secret");
	folder_put(&f->top, "root/plain", "plain");
	folder_put(&f->top, "root/folder/deep", "deep");
	snprintf(path, sizeof(path), "%s/root", f->top.path);
	f->root = open(path, O_PATH | O_DIRECTORY);
	assert_true(f->root >= 0);
	assert_int_equal(mkfifoat(f->root, "fifo", 0600), 0);
	link_to(f, "/plain", "inner");
	snprintf(path, sizeof(path), "%s/secret", f->top.path);
	link_to(f, path, "outer");
	link_to(f, "../../../../secret", "above");
	link_to(f, "folder", "way");
	link_to(f, "/proc/self/root", "magic");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	close(f->root);
	folder_remove(&f->top);
	free(f);
	return 0;
}

/* What can be read, "" for nothing; FD is closed. */
static const char *text_of(int fd)
{
	static char text[32];
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

static const char *follow(struct fixture *f, const char *path)
{
	return text_of(inside_open(f->root, path, BELOW_LINKS_FOLLOWED));
}

static const char *refuse(struct fixture *f, const char *path)
{
	return text_of(inside_open(f->root, path, BELOW_LINKS_REFUSED));
}

static void links_lead_where_the_process_would_go(void **state)
{
	assert_string_equal(follow(*state, "/plain"), "plain");
	assert_string_equal(follow(*state, "inner"), "plain");
	assert_string_equal(follow(*state, "/way/deep"), "deep");
}

static void links_never_lead_out(void **state)
{
	assert_string_equal(follow(*state, "outer"), "");
	assert_string_equal(follow(*state, "above"), "");
	assert_string_equal(follow(*state, "/../secret"), "");
	assert_string_equal(follow(*state, "magic/etc/hostname"), "");
}

static void links_can_be_refused(void **state)
{
	assert_string_equal(refuse(*state, "folder/deep"), "deep");
	assert_string_equal(refuse(*state, "inner"), "");
	assert_string_equal(refuse(*state, "way/deep"), "");
}

static void only_regular_files_are_opened(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		inside_open(f->root, "fifo", BELOW_LINKS_FOLLOWED), -1);
	assert_int_equal(
		inside_open(f->root, "folder", BELOW_LINKS_FOLLOWED), -1);
	assert_int_equal(inside_walk(f->root, "fifo"), -1);
	assert_int_equal(inside_walk(f->root, "/"), -1);
}

static void without_openat2_no_link_is_followed(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(text_of(inside_walk(f->root, "/plain")), "plain");
	assert_string_equal(
		text_of(inside_walk(f->root, "/folder//deep")), "deep");
	assert_string_equal(text_of(inside_walk(f->root, "way/deep")), "");
	assert_string_equal(text_of(inside_walk(f->root, "outer")), "");
	assert_string_equal(text_of(inside_walk(f->root, "../secret")), "");
	assert_string_equal(
		text_of(inside_walk(f->root, "folder/../plain")), "");
}

static void what_the_kernel_makes_is_refused(void **state)
{
	int top = open("/", O_PATH | O_DIRECTORY);

	(void)state;
	assert_true(top >= 0);
	/* Regular files, both: who reads the first takes it from others. */
	assert_int_equal(inside_open(top, "/proc/kmsg", BELOW_LINKS_REFUSED),
		-1);
	assert_int_equal(
		inside_open(top, "/proc/version", BELOW_LINKS_REFUSED), -1);
	assert_int_equal(inside_walk(top, "/proc/version"), -1);
	close(top);
}

static void a_process_that_is_gone_has_no_root(void **state)
{
	(void)state;
	assert_int_equal(inside_proc(INT32_MAX), -1);
	assert_int_equal(inside_root(-1), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			links_lead_where_the_process_would_go, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			links_never_lead_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			links_can_be_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			only_regular_files_are_opened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			without_openat2_no_link_is_followed, set_up,
			tear_down),
		cmocka_unit_test(what_the_kernel_makes_is_refused),
		cmocka_unit_test(a_process_that_is_gone_has_no_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
