/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of `dwell unpack`: any bytes as a recording. Aborts
 * if unpack creates anything but regular files in the given folder with the
 * names of perf's build-ID cache.
 */
#include "config.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/util/alloc.h"
#include "report/cmd.h"
#include "tests/fuzz/store.h"

#define INPUT_MAX KIB(256)
#define FILES_OPEN_MAX 16
/* Files are out/.build-id/xx/rest/elf below root[]. */
#define LEVEL_OF_FILES 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[64]; /* a temporary folder of this process */

static void remove_root(void)
{
	rmdir(root);
}

static void make_root(void)
{
	const char *temporary = getenv("TMPDIR");

	if (*root)
		return;
	snprintf(root, sizeof(root), "%s/fuzz-unpack.XXXXXX",
		temporary && strlen(temporary) < 32 ? temporary : "/tmp");
	if (!mkdtemp(root))
		abort();
	atexit(remove_root);
}

static bool is_name(const char *name)
{
	return string_is(name, "elf") || string_is(name, "debug") ||
		string_is(name, "vdso") || string_is(name, "kallsyms");
}

/* Called for files before their folders. */
static int check_and_remove(const char *path, const struct stat *status,
	int type _unused_, struct FTW *at)
{
	if (at->level == 0)
		return 0;
	if (at->level == 1 && !string_is(path + at->base, "out"))
		abort();
	if (at->level == 2 && !string_is(path + at->base, ".build-id"))
		abort();
	if (at->level < LEVEL_OF_FILES ? !S_ISDIR(status->st_mode)
				       : !S_ISREG(status->st_mode) ||
				!is_name(path + at->base))
		abort();
	return remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *folder = NULL;

	if (size > INPUT_MAX)
		return 0;
	make_root();
	folder = xasprintf("%s/out", root);
	char *words[] = { (char *)"unpack", (char *)"-q", (char *)"--debug-dir",
		folder, (char *)"-i", (char *)store_input(data, size), NULL };
	error_free(cmd_unpack(ARRAY_SIZE(words) - 1, words));
	if (nftw(root, check_and_remove, FILES_OPEN_MAX,
		    FTW_PHYS | FTW_DEPTH) != 0)
		abort();
	return 0;
}
