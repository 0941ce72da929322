/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/fuzz/root.h"

#include "tests/fuzz/machine.h"
#include "tests/fuzz/program.h"

#define KERNEL_BASE UINT64_C(0xffffffff81000000)
/* The rest of a build ID of which all bytes are the same, and its folders. */
#define REST(x) x x x x x x x x x x x x x x x x x x x
#define CACHE ".debug/.build-id/"
#define DEBUG "usr/lib/debug/.build-id/"

static const char *const functions[] = { "main", "_Z3foov", "_ZN3barC1ERKS_",
	"work", NULL };
static const char *const exported[] = { "work", NULL };
static const char *const kernel[] = { "_text", "schedule", "do_syscall_64",
	NULL };

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81001000 T schedule\n"
			       "ffffffff81001080 t do_syscall_64\n"
			       "ffffffff81ff0000 T _etext\n"
			       "ffffffffc0000000 t probe\t[made]\n";

static const struct root_program {
	const char *name;
	struct program program;
} programs[] = {
	{ "bin/program", { .id = 0x11, .functions = functions } },
	{ "bin/stripped", { .id = 0x22, .exported = exported } },
	{ DEBUG "22/" REST("22") ".debug",
		{ .id = 0x22, .functions = functions } },
	{ "bin/linked", { .exported = exported, .debuglink = "linked.dbg" } },
	{ "bin/.debug/linked.dbg", { .functions = functions } },
	{ "bin/plain", { .functions = functions } },
	{ "bin/exported", { .id = 0x33, .exported = exported } },
	{ CACHE "55/" REST("55") "/elf",
		{ .id = 0x55, .functions = functions } },
	{ ROOT_VMLINUX,
		{ .base = KERNEL_BASE - PROGRAM_CODE,
			.id = 0x66,
			.functions = kernel } },
};

static void make_root_files(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		_cleanup_strbuf_ struct strbuf file = { 0 };

		program_write(&programs[i].program, &file);
		machine_put(programs[i].name, file.at, file.n);
	}
	machine_put(ROOT_KALLSYMS, kallsyms, sizeof(kallsyms) - 1);
	machine_put(CACHE "66/" REST("66") "/kallsyms", kallsyms,
		sizeof(kallsyms) - 1);
}

const char *root_path(const char *name)
{
	static bool is_made;

	if (!is_made) {
		/* Do not use caches and debug files of this user. */
		unsetenv("HOME");
		unsetenv("XDG_CACHE_HOME");
		unsetenv("XDG_DATA_HOME");
		make_root_files();
		is_made = true;
	}
	return machine_path(name);
}
