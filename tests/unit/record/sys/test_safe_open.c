/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "tests/unit/make_folder.h"
#include "record/sys/safe_open.h"
#include "record/sys/user_copy.h"

/*
 * The root folder of a container, and a file outside of it:
 *
 *	secret
 *	root/plain  root/folder/deep  root/fifo
 *	root/inner    -> /plain, resolved in the container
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

/* Reads and closes FD. Returns its text, or "". */
static const char *read_text_of_fd(int fd)
{
	static char text[32];
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

static const char *read_following_links(struct fixture *f, const char *path)
{
	return read_text_of_fd(
		safe_open_file(f->root, path, PATH_LINKS_FOLLOWED));
}

static const char *read_refusing_links(struct fixture *f, const char *path)
{
	return read_text_of_fd(
		safe_open_file(f->root, path, PATH_LINKS_REFUSED));
}

static void symbolic_links_are_resolved_within_the_root_folder(void **state)
{
	assert_string_equal(read_following_links(*state, "/plain"), "plain");
	assert_string_equal(read_following_links(*state, "inner"), "plain");
	assert_string_equal(read_following_links(*state, "/way/deep"), "deep");
}

static void symbolic_links_cannot_leave_the_root_folder(void **state)
{
	assert_string_equal(read_following_links(*state, "outer"), "");
	assert_string_equal(read_following_links(*state, "above"), "");
	assert_string_equal(read_following_links(*state, "/../secret"), "");
	assert_string_equal(
		read_following_links(*state, "magic/etc/hostname"), "");
}

static void symbolic_links_can_be_refused(void **state)
{
	assert_string_equal(read_refusing_links(*state, "folder/deep"), "deep");
	assert_string_equal(read_refusing_links(*state, "inner"), "");
	assert_string_equal(read_refusing_links(*state, "way/deep"), "");
}

static void only_regular_files_are_opened(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		safe_open_file(f->root, "fifo", PATH_LINKS_FOLLOWED), -1);
	assert_int_equal(
		safe_open_file(f->root, "folder", PATH_LINKS_FOLLOWED), -1);
	assert_int_equal(safe_open_walk(f->root, "fifo"), -1);
	assert_int_equal(safe_open_walk(f->root, "/"), -1);
}

static void without_openat2_no_symbolic_link_is_followed(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(
		read_text_of_fd(safe_open_walk(f->root, "/plain")), "plain");
	assert_string_equal(
		read_text_of_fd(safe_open_walk(f->root, "/folder//deep")),
		"deep");
	assert_string_equal(
		read_text_of_fd(safe_open_walk(f->root, "way/deep")), "");
	assert_string_equal(
		read_text_of_fd(safe_open_walk(f->root, "outer")), "");
	assert_string_equal(
		read_text_of_fd(safe_open_walk(f->root, "../secret")), "");
	assert_string_equal(
		read_text_of_fd(safe_open_walk(f->root, "folder/../plain")),
		"");
}

static void files_of_proc_are_not_opened(void **state)
{
	int top = open("/", O_PATH | O_DIRECTORY);

	(void)state;
	assert_true(top >= 0);
	/*
	 * Both are regular files. Reading the first takes its content away from
	 * other readers.
	 */
	assert_int_equal(
		safe_open_file(top, "/proc/kmsg", PATH_LINKS_REFUSED), -1);
	assert_int_equal(
		safe_open_file(top, "/proc/version", PATH_LINKS_REFUSED), -1);
	assert_int_equal(safe_open_walk(top, "/proc/version"), -1);
	close(top);
}

static void the_root_of_an_ended_process_cannot_be_opened(void **state)
{
	(void)state;
	assert_int_equal(safe_open_proc(INT32_MAX), -1);
	assert_int_equal(safe_open_root(-1), -1);
}

static void a_file_is_copied_as_the_user_of_a_process(void **state)
{
	struct fixture *f = *state;
	int found = openat(f->root, "plain", O_PATH), fd, other;
	struct stat file, of_root, copy;

	assert_true(found >= 0 && fstat(found, &file) == 0);
	fd = user_copy_open(found, getpid(), &of_root);
	other = user_copy_open(found, getpid(), &of_root);
	assert_true(fd >= 0 && other >= 0 && fstat(fd, &copy) == 0);
	assert_true(of_root.st_ino == file.st_ino);
	assert_true(copy.st_mtim.tv_sec == file.st_mtim.tv_sec &&
		copy.st_mtim.tv_nsec == file.st_mtim.tv_nsec);
	/* The copy is kept, and readers have their own offsets. */
	assert_string_equal(read_text_of_fd(fd), "plain");
	assert_true(fstat(other, &file) == 0 && file.st_ino == copy.st_ino);
	assert_string_equal(read_text_of_fd(other), "plain");
	close(found);
	found = openat(f->root, "folder", O_PATH | O_DIRECTORY);
	assert_int_equal(user_copy_open(found, getpid(), &file), -1);
	close(found);
	assert_int_equal(user_copy_open(f->root, INT32_MAX, &file), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_file_is_copied_as_the_user_of_a_process, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			symbolic_links_are_resolved_within_the_root_folder,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			symbolic_links_cannot_leave_the_root_folder, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			symbolic_links_can_be_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			only_regular_files_are_opened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			without_openat2_no_symbolic_link_is_followed, set_up,
			tear_down),
		cmocka_unit_test(files_of_proc_are_not_opened),
		cmocka_unit_test(the_root_of_an_ended_process_cannot_be_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
