/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of each DSO of a recording, loaded when a DSO is first used. The
 * sources are the recording, the files of this machine, and kallsyms; the first
 * source with symbols is used. A recording has only the kernel symbols that
 * samples hit; if the same kernel still runs, kallsyms has the others.
 */
#ifndef DWELL_REPORT_SYMBOLS_SYMBOLS_H
#define DWELL_REPORT_SYMBOLS_SYMBOLS_H

#include "common/elf/symtab.h"
#include "common/file/reader.h"
#include "report/symbols/files.h"

struct symbols;

/* All three are borrowed for the life of the result. */
struct symbols *symbols_create(struct reader *reader,
	const struct survey *survey, struct files *files);
void symbols_destroy(struct symbols *symbols);

/* The source of a DSO's symbols. */
enum symbols_source {
	SYMBOLS_NONE,
	SYMBOLS_RECORDED, /* in the recording: those that were hit */
	SYMBOLS_FILE,     /* the file's .symtab */
	SYMBOLS_DEBUG,    /* .symtab of its debug file */
	SYMBOLS_DYNSYM,   /* only .dynsym, which has few symbols */
	SYMBOLS_KALLSYMS,
	SYMBOLS_VMLINUX,
	SYMBOLS_JIT, /* perf map or jitdump; the name of a BPF program */
};

struct dso_view {
	const char *name; /* as perf shows it: "libc.so.6", "[kernel...]" */
	const char *path; /* as recorded; without "_text" for the kernel */
	bool is_kernel;   /* symbols are found by address, not by file offset */
	bool is_doubtful; /* the file may have changed since */
	bool is_packed;   /* of SYMBOLS_RECORDED: added by dwell pack */
	bool is_partial;  /* of SYMBOLS_RECORDED: without .symtab */
	enum symbols_source source;
	const char *found; /* of the kernel: path of the source, borrowed; NULL:
	                    * not a file */
};

/* Whether DSO is one function that the kernel generated at run time. */
static inline bool symbols_is_ksymbol(const struct dso_view *dso)
{
	return dso->is_kernel && dso->source == SYMBOLS_JIT;
}

/*
 * Loads the symbols of DSO, a number of survey->maps. END is a file offset that
 * samples reached. The result is borrowed until symbols_destroy(). Not
 * thread-safe.
 */
const struct dso_view *symbols_load(
	struct symbols *symbols, uint32_t dso, uint64_t end);

/* Does the same without symbols: symbols_find() then finds none. */
const struct dso_view *symbols_load_none(struct symbols *symbols, uint32_t dso);

/*
 * Returns the symbol of DSO that covers ADDRESS, or NULL, and its name; both
 * are borrowed until symbols_destroy(). symbols_load() was called for DSO.
 */
const struct symbol *symbols_find(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret);
/* Does the same for code that may not have been sampled. */
const struct symbol *symbols_find_any(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret);

#endif
