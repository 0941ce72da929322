/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of a made file with many FDEs, in the cache. */
#include "config.h"

#include "common/unwind/cfi.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/bytes.h"
#include "tests/unit/make_elf.h"
#include "tests/unit/testing.h"

static char folder[] = "/tmp/test_cfi_cache.XXXXXX";
static char cache_path[64], file_path[64];

/* Makes functions of 64 bytes; each has a frame of SIZE bytes. */
static struct elf_file *open_made(unsigned size)
{
	struct elf_file *file;

	made_elf_write(file_path, 8000, size);
	assert_no_error(elf_file_open(
		open(file_path, O_RDONLY | O_CLOEXEC), file_path, &file));
	return file;
}

/* Returns the rule in the middle of the third function. */
static uint32_t third_rule(struct cache *cache, unsigned size)
{
	struct elf_file *file = open_made(size);
	struct cfi *cfi;
	uint32_t rule;

	assert_no_error(cfi_cache_create(cache, file, NULL, &cfi));
	rule = cfi_rule(cfi, MADE_ELF_CODE + 2 * MADE_ELF_FUNCTION + 32);
	cfi_destroy(cfi);
	elf_file_close(file);
	return rule;
}

/* Sets PATH to the only file's path. Returns the number of files. */
static unsigned list(char *path, size_t room)
{
	DIR *dir = opendir(cache_path);
	const struct dirent *entry;
	unsigned n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (*entry->d_name != '.') {
			snprintf(
				path, room, "%s/%s", cache_path, entry->d_name);
			n++;
		}
	closedir(dir);
	return n;
}

static void compiled_rules_are_stored_in_a_private_cache_folder(void **state)
{
	struct cache *cache = cache_open(CFI_CACHE, cache_path);
	char path[512];
	struct stat status;
	uint32_t rule;

	(void)state;
	assert_non_null(cache);
	rule = third_rule(cache, 48);
	assert_int_equal(cfi_x86_offset(rule), 48);
	assert_int_equal(list(path, sizeof(path)), 1);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(stat(cache_path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	assert_int_equal(third_rule(cache, 48), rule);
	assert_int_equal(list(path, sizeof(path)), 1);
	cache_close(cache);
}

/*
 * The cached table is used: a rule changed in the cache file is found changed.
 */
static void a_cache_file_with_a_wrong_checksum_is_rewritten(void **state)
{
	struct cache *cache = cache_open(CFI_CACHE, cache_path);
	char path[512];
	int fd;
	uint64_t zero = 0;

	(void)state;
	assert_int_equal(list(path, sizeof(path)), 1);
	/* A file with a wrong checksum is not used, but rewritten. */
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, &zero, 8, 24), 8);
	close(fd);
	assert_int_equal(cfi_x86_offset(third_rule(cache, 48)), 48);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, &zero, 8, 24), 8);
	assert_true(zero != 0);
	close(fd);
	cache_close(cache);
}

static void truncated_cache_files_are_rewritten(void **state)
{
	struct cache *cache = cache_open(CFI_CACHE, cache_path);
	char path[512];
	struct stat status;
	off_t size;

	(void)state;
	assert_int_equal(list(path, sizeof(path)), 1);
	stat(path, &status);
	for (size = 0; size < status.st_size; size += status.st_size / 7 + 1) {
		assert_int_equal(truncate(path, size), 0);
		assert_int_equal(cfi_x86_offset(third_rule(cache, 48)), 48);
	}
	cache_close(cache);
}

static void a_changed_file_with_the_same_build_id_has_its_own_rules(
	void **state)
{
	struct cache *cache = cache_open(CFI_CACHE, cache_path);
	char path[512];

	(void)state;
	/* The build ID is unchanged. */
	assert_int_equal(cfi_x86_offset(third_rule(cache, 64)), 64);
	assert_int_equal(cfi_x86_offset(third_rule(cache, 48)), 48);
	assert_int_equal(list(path, sizeof(path)), 2);
	cache_close(cache);
}

static void a_cache_folder_that_others_can_read_is_not_used(void **state)
{
	(void)state;
	assert_int_equal(chmod(cache_path, 0755), 0);
	assert_null(cache_open(CFI_CACHE, cache_path));
	assert_int_equal(chmod(cache_path, 0700), 0);
	assert_int_equal(cfi_x86_offset(third_rule(NULL, 48)), 48);
}

/* Makes a directory with mode MODE, owned by OWNER; its name ends with NAME. */
static void make_home(
	const char *name, mode_t mode, uid_t owner, char path[128])
{
	snprintf(path, 128, "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chown(path, owner, (gid_t)-1), 0);
	assert_int_equal(chmod(path, mode), 0);
}

/* As under sudo, which may leave HOME unchanged. */
static void no_cache_is_created_in_the_home_of_another_user(void **state)
{
	static const struct {
		const char *name, *variable, *below;
		mode_t mode;
		bool is_other, is_used;
	} homes[] = {
		{ "own", "HOME", "", 0755, false, true },
		{ "other", "HOME", "", 0755, true, false },
		{ "other-gone", "HOME", "/not/there", 0755, true, false },
		{ "other-cache", "XDG_CACHE_HOME", "/not/there", 0755, true,
			false },
		{ "own-cache", "XDG_CACHE_HOME", "/not/there", 0755, false,
			true },
		{ "of-all", "XDG_CACHE_HOME", "/not/there", 01777, true, true },
	};
	size_t i;

	(void)state;
	if (geteuid() != 0)
		skip_without("root");
	for (i = 0; i < ARRAY_SIZE(homes); i++) {
		char path[128], value[160];
		struct cache *cache;

		make_home(homes[i].name, homes[i].mode,
			homes[i].is_other ? 12345 : geteuid(), path);
		snprintf(value, sizeof(value), "%s%s", path, homes[i].below);
		unsetenv("HOME");
		unsetenv("XDG_CACHE_HOME");
		setenv(homes[i].variable, value, true);
		cache = cache_open(CFI_CACHE, NULL);
		assert_int_equal(cache != NULL, homes[i].is_used);
		cache_close(cache);
		/* Nothing was created there. */
		if (!homes[i].is_used)
			assert_int_equal(rmdir(path), 0);
	}
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(cache_path, sizeof(cache_path), "%s/a/b", folder);
	snprintf(file_path, sizeof(file_path), "%s/made", folder);
	return 0;
}

static int tear_down(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			compiled_rules_are_stored_in_a_private_cache_folder),
		cmocka_unit_test(
			a_cache_file_with_a_wrong_checksum_is_rewritten),
		cmocka_unit_test(truncated_cache_files_are_rewritten),
		cmocka_unit_test(
			a_changed_file_with_the_same_build_id_has_its_own_rules),
		cmocka_unit_test(
			a_cache_folder_that_others_can_read_is_not_used),
		cmocka_unit_test(
			no_cache_is_created_in_the_home_of_another_user),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
