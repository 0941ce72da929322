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

/* READER, SURVEY and FILES are borrowed until symbols_destroy(). */
struct symbols *symbols_create(struct reader *reader,
	const struct survey *survey, struct files *files);
void symbols_destroy(struct symbols *symbols);

/* The source of a DSO's symbols. */
enum symbols_source {
	SYMBOLS_NONE,
	SYMBOLS_RECORDED, /* the recording, which has only symbols that samples
	                   * hit */
	SYMBOLS_FILE,	  /* .symtab of the DSO's file */
	SYMBOLS_DEBUG,	  /* .symtab of the DSO's debug file */
	SYMBOLS_DYNSYM,	  /* only .dynsym, which has few symbols */
	SYMBOLS_KALLSYMS,
	SYMBOLS_VMLINUX,
	SYMBOLS_JIT, /* perf map or jitdump; the name of a BPF program */
};

struct symbols_source_dso {
	const char *name; /* displayed name, as in perf: "libc.so.6",
	                   * "[kernel...]" */
	const char *path; /* recorded path; for the kernel, without "_text" */
	bool is_kernel;	  /* symbols are found by address, not by file offset */
	bool is_doubtful; /* the file may not be the recorded one */
	bool is_packed;	  /* SYMBOLS_RECORDED: symbols were added by dwell
	                   * pack */
	bool is_partial;  /* SYMBOLS_RECORDED: symbols are only of .dynsym */
	enum symbols_source source;
	const char *found; /* of the kernel: path of the file with its symbols
	                    * (vmlinux or kallsyms); borrowed; NULL: none */
};

/* Whether DSO is one function that the kernel generated at run time. */
static inline bool symbols_is_ksymbol(const struct symbols_source_dso *dso)
{
	return dso->is_kernel && dso->source == SYMBOLS_JIT;
}

/*
 * Loads the symbols of DSO, a number of survey->maps. END is a file offset that
 * samples hit, which the file must reach. The result is borrowed until
 * symbols_destroy(). Not thread-safe.
 */
const struct symbols_source_dso *symbols_load(
	struct symbols *symbols, uint32_t dso, uint64_t end);

/*
 * Returns the view of DSO without loading symbols: symbols_find() then returns
 * NULL.
 */
const struct symbols_source_dso *symbols_load_none(
	struct symbols *symbols, uint32_t dso);

/*
 * Returns the symbol of DSO that covers ADDRESS, or NULL, and its name; the
 * symbol and the name are borrowed until symbols_destroy(). The caller has
 * called symbols_load() for DSO.
 */
const struct symbol *symbols_find(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret);
/*
 * Like symbols_find(), but also finds symbols of code that no sample hit, which
 * are not in the recording.
 */
const struct symbol *symbols_find_any(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret);
/*
 * Returns other name number I (symtab_other_name()) of the symbol that covers ADDRESS, or
 * NULL; borrowed until symbols_destroy(). The caller has called symbols_load() for DSO.
 */
const char *symbols_other_name(
	struct symbols *symbols, uint32_t dso, uint64_t address, size_t i);
/*
 * Returns the function of DSO that contains ADDRESS by the unwind rules of the DSO's file
 * (guessed_functions.h), or NULL; for an address that no symbol covers. Its made-up name
 * is "[a.out+0x1130]", with the linked address of its start. The result and the name are
 * borrowed until symbols_destroy(). The caller has called symbols_load() for DSO.
 */
const struct symbol *symbols_guess(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret);
/*
 * Returns whether a symbol or a recorded guess covers ADDRESS, without a search for
 * symbols that the recording of DSO lacks. The caller has called symbols_load() for DSO.
 */
bool symbols_has_recorded(
	const struct symbols *symbols, uint32_t dso, uint64_t address);

#endif
