/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames FILE...: unwinds one frame at both ends of every CFI row of the files,
 * with compiled and with interpreted rules, and compares the caller's frame
 * with libdw's. Rules other than "stack or frame pointer plus offset" are
 * compared with libunwind's, too. Prints a line per file and per difference.
 * Fails if libdw's result differs, or libunwind's where this test cannot
 * evaluate libdw's.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "row.h"

#include "common/unwind/unwind_private.h"

#define SHOWN_MAX 20u

struct file {
	struct row_file row;
	unsigned long n_rows, n_complex, n_popped, n_wrong, n_without;
	unsigned long n_odd, n_libunwind; /* n_libunwind: only it differs */
};

static bool is_same(const struct row_file *file, uint64_t address,
	const struct outcome *libdw, const struct outcome *ours,
	bool *is_popped_ret)
{
	uint64_t mask =
		file->arch == UNWIND_AARCH64 ? UNWIND_ARM_ADDRESS : UINT64_MAX;
	unsigned fp = unwind_numbers[file->arch].fp;

	*is_popped_ret = false;
	/* dwell needs no CFI at the start of a process or thread, see cfi.c. */
	if (libdw->is_none && ours->is_root)
		return address - file->source.entry < 256 ||
			cfi_rule(file->cfi, address) == CFI_CLONE;
	if (libdw->is_none || ours->is_none)
		return libdw->is_none == ours->is_none;
	if (libdw->is_root || ours->is_root)
		return libdw->is_root == ours->is_root;
	/* CFI of some assembly in glibc has a CFA below the stack pointer. */
	if (libdw->sp < file->stack)
		return ours->pc == address;
	*is_popped_ret = libdw->pc_at && libdw->pc_at < file->stack;
	if (libdw->sp != ours->sp ||
		((libdw->pc & mask) != ours->pc && !*is_popped_ret))
		return false;
	if (libdw->fp == ours->fp)
		return true;
	/* The frame pointer is already popped, see cfi_pack.c. */
	*is_popped_ret = libdw->fp_at &&
		(libdw->fp_at < file->stack || libdw->fp_at >= libdw->sp) &&
		ours->fp == file->registers.value[fp];
	return *is_popped_ret;
}

/*
 * Returns true if libunwind's result is the same. libunwind does not return the
 * address of the frame pointer, so it may be popped already.
 */
static bool is_libunwinds(const struct row_file *file,
	const struct outcome *libunwind, const struct outcome *ours)
{
	unsigned fp = unwind_numbers[file->arch].fp;

	if (libunwind->is_none || ours->is_none || libunwind->is_root ||
		ours->is_root)
		return libunwind->is_none == ours->is_none &&
			libunwind->is_root == ours->is_root;
	return libunwind->sp == ours->sp && libunwind->pc == ours->pc &&
		(libunwind->fp == ours->fp ||
			ours->fp == file->registers.value[fp]);
}

static void show(const char *name, const struct outcome *outcome)
{
	printf("    %s: sp %" PRIx64 " pc %" PRIx64 " fp %" PRIx64 "%s%s\n",
		name, outcome->sp, outcome->pc, outcome->fp,
		outcome->is_root ? " root" : "",
		outcome->is_none ? " none" : "");
}

/* Returns true if the CFA is not the stack or frame pointer plus an offset. */
static bool is_odd(const struct file *file, uint64_t address)
{
	uint32_t rule = cfi_rule(file->row.cfi, address);

	return cfi_kind(rule) != CFI_SP && cfi_kind(rule) != CFI_FP &&
		rule != CFI_NONE && rule != CFI_PADDING && rule != CFI_CLONE;
}

static void show_all(struct file *file, uint64_t address, const char *how,
	const struct outcome *ours)
{
	struct outcome other;

	if (file->n_wrong + file->n_libunwind > SHOWN_MAX)
		return;
	printf("  %s+%" PRIx64 " %s\n", file->row.name, address, how);
	show("dwell", ours);
	if (row_step_libdw(&file->row, address, &other))
		show("libdw", &other);
	if (row_step_libunwind(&file->row, address, &other))
		show("libunwind", &other);
}

static void compare(struct file *file, uint64_t address)
{
	static const char *const how[] = { "compiled", "interpreted" };
	struct outcome libdw, libunwind, ours;
	bool has_libdw = row_step_libdw(&file->row, address, &libdw);
	bool has_libunwind = is_odd(file, address) &&
		row_step_libunwind(&file->row, address, &libunwind);
	unsigned is_slow;

	file->n_odd += has_libunwind;
	file->n_without += !has_libdw && !has_libunwind;
	for (is_slow = 0; is_slow < 2; is_slow++) {
		bool is_popped = false, is_libdws, is_theirs;

		file->n_complex +=
			row_step_dwell(&file->row, address, is_slow, &ours) &&
			!is_slow;
		is_libdws = has_libdw &&
			is_same(&file->row, address, &libdw, &ours, &is_popped);
		is_theirs = has_libunwind &&
			is_libunwinds(&file->row, &libunwind, &ours);
		file->n_popped += is_popped && !is_slow;
		if (has_libdw ? !is_libdws : has_libunwind && !is_theirs) {
			file->n_wrong++;
			show_all(file, address, how[is_slow], &ours);
		} else if (has_libunwind && !is_theirs) {
			file->n_libunwind++;
			show_all(file, address, "libunwind alone", &ours);
		}
	}
}

static void compare_rows(struct file *file)
{
	const struct cfi_source *source = &file->row.source;
	struct cfi_cies *cies = xcalloc(1, sizeof(*cies));
	struct cfi_walk *walk = xmalloc(sizeof(*walk));
	uint64_t at = 0;
	size_t i;

	for (i = 0; i < source->n_fdes; i++) {
		const struct cfi_fde *fde = &source->fdes[i];

		/* libdw must also have no rule between two FDEs. */
		if (at && at < fde->start) {
			compare(file, at);
			compare(file, fde->start - 1);
		}
		at = fde->end;
		if (!cfi_source_walk(source, fde, cies, walk))
			continue;
		while (cfi_walk_next(walk)) {
			uint64_t end = walk->row.end;

			file->n_rows++;
			compare(file, walk->row.start);
			compare(file, end - 1);
		}
	}
	free(walk);
	free(cies);
}

static int compare_file(const char *name)
{
	struct file file = { .n_rows = 0 };
	struct error *err = row_open(name, &file.row);

	if (err) {
		printf("%s\n", err->text);
		error_free(err);
		return 1;
	}
	if (file.row.eh_frame)
		compare_rows(&file);
	printf("%s: %zu FDEs, %lu rows, %lu complex, %lu popped, "
	       "%lu odd, %lu libunwind alone, %lu beyond this test, "
	       "%lu differ\n",
		name, file.row.source.n_fdes, file.n_rows, file.n_complex,
		file.n_popped, file.n_odd, file.n_libunwind, file.n_without,
		file.n_wrong);
	row_close(&file.row);
	return file.n_wrong || !file.n_rows;
}

int main(int argc, char **argv)
{
	int i, status = 0;

	for (i = 1; i < argc; i++)
		status |= compare_file(argv[i]);
	return status;
}
