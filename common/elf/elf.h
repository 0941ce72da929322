/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ELF file, opened by whoever knows that it may be: its build ID, its
 * segments, its symbols by file offset, the name of its debug file. Files are
 * hostile: sizes are checked here before libelf is asked.
 */
#ifndef DWELL_COMMON_ELF_ELF_H
#define DWELL_COMMON_ELF_ELF_H

#include "common/elf/symtab.h"
#include "common/perf/record.h"
#include "common/util/error.h"

/* Larger files are refused. */
#define ELF_SIZE_MAX (UINT64_C(1) << 36)

struct elf_file;
struct Elf_Scn; /* libelf's own */

/* Takes ownership of FD (also on failure). NAME is for messages. */
struct error *elf_file_open(
	int fd, const char *name, struct elf_file **ret) _must_check_;
/* NULL is fine. */
void elf_file_close(struct elf_file *file);
/* libelf's own, for libdw; borrowed from FILE. */
struct Elf *elf_file_handle(struct elf_file *file);
/*
 * This machine's vdso, that of its 64-bit programs (MAPS_VDSO); NULL if it has
 * none that dwell can read.
 */
struct elf_file *elf_file_open_vdso(void);

/*
 * FILE once more, in memory that is empty but for the headers and the names of
 * its sections: for libraries that would read all of a large file. NULL: there
 * isn't so much room for addresses, or it is damaged.
 */
struct elf_file *elf_file_sparse(struct elf_file *file);
/*
 * Reads SIZE bytes at OFFSET of the file into a sparse one. Nothing is read
 * twice, as it may have changed since it was checked. False: it isn't all there,
 * or some of it was read already.
 */
bool elf_sparse_read(struct elf_file *sparse, uint64_t offset, uint64_t size);
/* Leaves a section's bytes out, for who asks libelf for them. */
void elf_sparse_hide(struct Elf_Scn *section);

/* Borrowed from FILE. */
int elf_file_fd(const struct elf_file *file);
/* e_machine. */
unsigned elf_file_machine(struct elf_file *file);

/* Whose instructions they are; as the start of a file has it. */
struct elf_kind {
	uint16_t machine; /* e_machine; 0: nobody tells, as in the next two */
	uint8_t class;    /* ELFCLASS64, ... */
	uint8_t order;    /* ELFDATA2LSB, ... */
};
struct elf_kind elf_file_kind(struct elf_file *file);

/*
 * To how many bytes a section of libelf's that is called ".zdebug_..." claims to
 * unpack; 0: it isn't packed, or isn't any more.
 */
uint64_t elf_gnu_size(struct Elf_Scn *section);

/* One section's bytes, uncompressed; that of ".zdebug_x" as ".debug_x". */
struct elf_section {
	const uint8_t *at; /* borrowed from FILE */
	size_t size;
	uint64_t address; /* as linked */
};
/* False if there is none of that name, it isn't in the file or has over MAX bytes. */
bool elf_file_section(struct elf_file *file, const char *name, uint64_t max,
	struct elf_section *ret);
/*
 * .eh_frame, at most MAX bytes, of a file that has no section headers: by its
 * program headers. HDR_RET is where .eh_frame_hdr is. False: there is none.
 */
bool elf_file_frames(struct elf_file *file, uint64_t max,
	struct elf_section *ret, uint64_t *hdr_ret);
/*
 * The small debug file that .gnu_debugdata holds, compressed (as Fedora and
 * Android have it): symbols that .dynsym lacks, maybe .debug_frame. Borrowed from
 * FILE; NULL if there is none that can be read.
 */
struct elf_file *elf_file_debugdata(struct elf_file *file);
/* Whether FILE has such a section, and the bytes of it. */
bool elf_file_has_section(struct elf_file *file, const char *name);
/* Where it is as linked, 0: there is none; its bytes aren't read. */
uint64_t elf_file_section_address(struct elf_file *file, const char *name);
/*
 * FILE is a debug file; the lowest executable mapping of the file that it is of
 * begins at OFFSET. From then on FILE's segments are that file's, as far as they
 * hold code. Has no effect on a file whose code is in it.
 */
void elf_file_set_code_offset(struct elf_file *file, uint64_t offset);
/* What is at OFFSET of the file as linked, by its executable segments; else OFFSET. */
uint64_t elf_file_address(struct elf_file *file, uint64_t offset);
/*
 * Up to SIZE bytes of what is at ADDRESS as linked, as FILE itself has them, to
 * OUT; how many these are. A debug file has none.
 */
size_t elf_file_read(
	struct elf_file *file, uint64_t address, void *out, size_t size);
/* From the first executable segment's start to the last one's end; false: none. */
bool elf_file_code(
	struct elf_file *file, uint64_t *start_ret, uint64_t *end_ret);
/* The same of its sections: headers, and other sections, may be in segments. */
bool elf_file_code_sections(
	struct elf_file *file, uint64_t *start_ret, uint64_t *end_ret);

/* False if it has none; RET is then all zero. */
bool elf_file_build_id(struct elf_file *file, struct build_id *ret);

enum elf_table {
	ELF_SYMTAB, /* .symtab */
	ELF_DYNSYM, /* .dynsym */
};
/*
 * Adds the functions and variables of one symbol table; what only marks code and
 * data of ARM ("$x") is none. Addresses become file offsets by
 * LAYOUT's segments (the file that is mapped; FILE itself, or the stripped
 * file that FILE is the debug file of). Returns false if there is no such
 * table. Does not finish the symtab.
 */
bool elf_file_symbols(struct elf_file *file, struct elf_file *layout,
	enum elf_table which, struct symtab *table);
/* The same of .symtab, by addresses as linked, moved by MOVED bytes. */
bool elf_file_addresses(
	struct elf_file *file, uint64_t moved, struct symtab *table);
/*
 * Adds all that FILE itself can name: .symtab, or else .dynsym and what is in
 * its .gnu_debugdata. False: there is .dynsym at most.
 */
bool elf_file_own_symbols(struct elf_file *file, struct symtab *table);
/*
 * Adds "name@plt" for the ways out that linkers make (.plt, .plt.sec, .plt.got,
 * .iplt), by what their code reads: of x86-64, i386 and aarch64. An IFUNC without a name
 * is "*ABS*+0x1000@plt", as objdump calls it.
 */
void elf_file_plt(struct elf_file *file, struct symtab *table);

/* The code at offsets [start, end) of the file is linked at offset + delta. */
struct elf_segment {
	uint64_t start, end, delta;
};
/* The executable segments, as they are mapped: in pages. At most ROOM. */
size_t elf_file_segments(
	struct elf_file *file, struct elf_segment *ret, size_t room);

/* A function or a variable, as both symbol tables have it. */
struct elf_symbol {
	uint64_t address; /* as linked */
	uint64_t size;    /* 0: not known */
	uint64_t offset;  /* in the file; UINT64_MAX: it isn't in there */
};
/* .symtab first, then .dynsym, then .gnu_debugdata; "name@version" is no name. */
bool elf_file_find(
	struct elf_file *file, const char *name, struct elf_symbol *ret);
/*
 * Its addresses are known only once it is loaded: a PIE or a library. ENTRY_RET
 * is the entry point as linked.
 */
bool elf_file_is_relocated(struct elf_file *file, uint64_t *entry_ret);

/* .gnu_debuglink: the debug file's name, borrowed from FILE; NULL if none. */
const char *elf_file_debuglink(struct elf_file *file, uint32_t *crc_ret);
/* Whether all of FILE has that checksum. */
bool elf_file_has_crc(struct elf_file *file, uint32_t wanted);
/*
 * .gnu_debugaltlink: the name, borrowed from FILE, and the build ID of the file
 * with what several debug files have in common (dwz); NULL if there is none.
 */
const char *elf_file_altlink(struct elf_file *file, struct build_id *id_ret);

/*
 * Only the build ID, from the notes that the program headers name: no libelf,
 * a few small reads. FD stays the caller's. False if there is none.
 */
bool elf_read_build_id(int fd, struct build_id *ret);
/* The build ID in a run of ELF notes (also /sys/kernel/notes). */
bool elf_notes_build_id(
	const uint8_t *notes, size_t size, struct build_id *ret);

#endif
