/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of each DSO of a recording: from the recording itself, from the
 * files of this machine, from the kernel's kallsyms; loaded when a DSO is
 * first asked for, the first source that has any wins. What the recording lacks
 * of a kernel that still runs, because nothing was sampled there, kallsyms has.
 */
#ifndef DWELL_REPORT_SYMBOLS_SYMBOLS_H
#define DWELL_REPORT_SYMBOLS_SYMBOLS_H

#include "common/elf/symtab.h"
#include "common/file/reader.h"
#include "report/symbols/files.h"

struct symbols;

/* All three are borrowed for the life of what is returned. */
struct symbols *symbols_create(struct reader *reader,
	const struct survey *survey, struct files *files);
void symbols_destroy(struct symbols *symbols);

/* Where the symbols of a DSO are from. */
enum symbols_source {
	SYMBOLS_NONE,
	SYMBOLS_RECORDED, /* those that were hit, in the recording */
	SYMBOLS_FILE,     /* the file's .symtab */
	SYMBOLS_DEBUG,    /* that of its debug file */
	SYMBOLS_DYNSYM,   /* .dynsym alone, which is few of them */
	SYMBOLS_KALLSYMS,
	SYMBOLS_VMLINUX,
	SYMBOLS_MADE,     /* what made the code tells; the name of a program of
			   * BPF */
};

struct dso_view {
	const char *name;  /* as perf shows it: "libc.so.6", "[kernel...]" */
	const char *path;  /* as recorded; without "_text" for the kernel */
	bool is_kernel;    /* addresses are looked up as they are */
	bool is_doubtful;  /* the file may have changed since */
	bool is_packed;    /* of SYMBOLS_RECORDED: not by who recorded it */
	bool is_partial;   /* of SYMBOLS_RECORDED: there is no .symtab in it */
	enum symbols_source source;
	const char *found; /* of the kernel: path of .source here, borrowed; NULL:
			    * it is no file */
};

/* Code that the kernel made while it ran: all of DSO is one function. */
static inline bool symbols_is_ksymbol(const struct dso_view *dso)
{
	return dso->is_kernel && dso->source == SYMBOLS_MADE;
}

/*
 * DSO is a number of survey->maps; END a file offset that samples reached.
 * Borrowed until destroyed. Not for several threads at once.
 */
const struct dso_view *symbols_of(
	struct symbols *symbols, uint32_t dso, uint64_t end);

/* The same without symbols: none are looked for, and none are found then. */
const struct dso_view *symbols_of_none(struct symbols *symbols, uint32_t dso);

/*
 * The symbol of DSO, which symbols_of() was asked for, that covers ADDRESS, and
 * its name; both borrowed until destroyed. NULL if none is known.
 */
const struct symbol *symbols_find(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret);
/* The same of code that needn't have been sampled. */
const struct symbol *symbols_find_any(struct symbols *symbols, uint32_t dso,
	uint64_t address, const char **name_ret);

#endif
