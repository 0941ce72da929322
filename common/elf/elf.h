/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads one ELF file: build ID, segments, sections, symbols by file offset, and
 * links to debug files. Checks sizes before libelf reads anything, because the
 * files are not trusted. Does not search for debug files and does not read
 * DWARF.
 */
#ifndef DWELL_COMMON_ELF_ELF_H
#define DWELL_COMMON_ELF_ELF_H

#include "common/elf/symtab.h"
#include "common/perf/record.h"
#include "common/util/error.h"

/* Limit of the file size in bytes. Larger files are rejected. */
#define ELF_SIZE_MAX (UINT64_C(1) << 36)

struct elf_file;
struct Elf_Scn; /* of libelf */

/*
 * Opens the ELF file FD and takes ownership of FD, also on failure. NAME is
 * used in messages.
 */
struct error *elf_file_open(
	int fd, const char *name, struct elf_file **ret) _must_check_;
/* FILE may be NULL. */
void elf_file_close(struct elf_file *file);
/* Returns the libelf handle of FILE, for libdw. Borrowed from FILE. */
struct Elf *elf_file_handle(struct elf_file *file);
/*
 * Opens a copy of the vdso that the kernel maps into 64-bit programs
 * (MAPS_VDSO). Returns NULL if there is no readable vdso.
 */
struct elf_file *elf_file_open_vdso(void);

/*
 * Opens FILE again as an image in memory that is empty except for the file
 * header, the section headers and the section names. The image is for libraries
 * that would read all of a large file. Returns NULL if FILE is damaged or the
 * address space for the image cannot be reserved.
 *
 * Sections that are compressed with zstd are not compressed in the image of a
 * 64-bit FILE: the first elf_sparse_read() of such a section decompresses it.
 * Returns NULL if they have more than UNPACKED_MAX bytes in total.
 */
struct elf_file *elf_file_sparse(struct elf_file *file, uint64_t unpacked_max);
/*
 * Reads SIZE bytes at OFFSET, the place by the section headers of SPARSE, into
 * the image of SPARSE. Returns false if the file is too short, if a section is
 * damaged, or if a part of the range was already read. No byte is read twice,
 * because the file may have changed after the check of the first read.
 */
bool elf_sparse_read(struct elf_file *sparse, uint64_t offset, uint64_t size);
/* Marks SECTION as SHT_NOBITS, so that libelf returns no data for it. */
void elf_sparse_hide(struct Elf_Scn *section);

/* Returns the file descriptor, borrowed from FILE. */
int elf_file_fd(const struct elf_file *file);
/* Returns the size of FILE in bytes; of a sparse file, that of the image. */
uint64_t elf_file_size(const struct elf_file *file);
/* Returns e_machine, or EM_NONE if FILE has no valid header. */
unsigned elf_file_machine(struct elf_file *file);

/* The instruction set of a file, from its ELF header. */
struct elf_kind {
	/* e_machine; in all three members, 0 is unknown */
	uint16_t machine;
	uint8_t class; /* ELFCLASS64, ... */
	uint8_t order; /* ELFDATA2LSB, ... */
};
struct elf_kind elf_file_kind(struct elf_file *file);

/*
 * Returns the decompressed size that the header of a ".zdebug_..." section
 * claims. Returns 0 if SECTION is not compressed, or was decompressed before.
 */
uint64_t elf_zdebug_size(struct Elf_Scn *section);

/*
 * The content of a section, decompressed. Section ".debug_x" is also found as
 * ".zdebug_x".
 */
struct elf_section {
	const uint8_t *at; /* borrowed from FILE */
	size_t size;
	uint64_t address; /* linked address */
};
/*
 * Finds the section NAME. Returns false if there is no such section, if its
 * content is not in the file or if it is larger than MAX bytes.
 */
bool elf_file_section(struct elf_file *file, const char *name, uint64_t max,
	struct elf_section *ret);
/*
 * Finds .eh_frame, at most MAX bytes, by the program headers, for files without
 * section headers. Sets *HDR_RET to the linked address of .eh_frame_hdr.
 * Returns false if there is no .eh_frame.
 */
bool elf_file_frames(struct elf_file *file, uint64_t max,
	struct elf_section *ret, uint64_t *hdr_ret);
/*
 * Returns the compressed ELF file in .gnu_debugdata (Fedora, Android), opened
 * and borrowed from FILE. The ELF file contains symbols that .dynsym lacks, and
 * sometimes .debug_frame. Returns NULL if .gnu_debugdata is missing or not
 * readable.
 */
struct elf_file *elf_file_debugdata(struct elf_file *file);
/* The bytes of a section in the file. */
struct elf_place {
	uint64_t offset, size;
};
/*
 * Finds where the file has the bytes of the section NAME, for a reader in pieces. Returns
 * false if there is no such section, or if it is compressed or not completely in the file.
 */
bool elf_file_section_place(
	struct elf_file *file, const char *name, struct elf_place *ret);
/* Returns true if FILE has the section NAME, with content. */
bool elf_file_has_section(struct elf_file *file, const char *name);
/*
 * Returns the linked address of section NAME without reading it. Returns 0 if
 * there is no such section.
 */
uint64_t elf_file_section_address(struct elf_file *file, const char *name);
/*
 * Sets the file offset of the code for FILE, a debug file. OFFSET is the file
 * offset of the lowest executable mapping of the stripped file. The executable
 * segments of FILE then have the file offsets of the stripped file. Has no
 * effect if FILE contains the code itself.
 */
void elf_file_set_code_offset(struct elf_file *file, uint64_t offset);
/*
 * Returns the linked address of file offset OFFSET, by the executable segments,
 * or OFFSET if no executable segment contains OFFSET.
 */
uint64_t elf_file_address(struct elf_file *file, uint64_t offset);
/*
 * Reads up to SIZE bytes at the linked address ADDRESS from FILE into OUT.
 * Returns the number of bytes read, which is 0 for the code of a debug file.
 */
size_t elf_file_read(
	struct elf_file *file, uint64_t address, void *out, size_t size);
/*
 * Finds the range of linked addresses from the start of the first executable
 * segment to the end of the last. Returns false if FILE has no executable
 * segment.
 */
bool elf_file_code(
	struct elf_file *file, uint64_t *start_ret, uint64_t *end_ret);
/*
 * Finds the range of linked addresses from the start of the first executable
 * section to the end of the last. Returns false if FILE has no executable
 * section. The range of elf_file_code() is wider, because a segment can also
 * contain headers and other sections.
 */
bool elf_file_code_sections(
	struct elf_file *file, uint64_t *start_ret, uint64_t *end_ret);

/* Reads the build ID. If there is no build ID, zeroes RET and returns false. */
bool elf_file_build_id(struct elf_file *file, struct build_id *ret);

enum elf_table {
	ELF_SYMTAB, /* .symtab */
	/* .dynsym, also of a file that has lost its section headers */
	ELF_DYNSYM,
};
/*
 * Adds the functions and variables of one symbol table to TABLE, except mapping
 * symbols ("$x"). Addresses are converted to file offsets by the segments of
 * LAYOUT: the mapped file, which is FILE itself or the stripped file of the
 * debug file FILE. Returns false if there is no such symbol table. Does not
 * call symtab_finish().
 */
bool elf_file_symbols(struct elf_file *file, struct elf_file *layout,
	enum elf_table which, struct symtab *table);
/*
 * Adds the functions and variables of .symtab to TABLE, by linked address plus
 * MOVED instead of file offset. Returns false if there is no .symtab. Does not
 * call symtab_finish().
 */
bool elf_file_addresses(
	struct elf_file *file, uint64_t moved, struct symtab *table);
/*
 * Adds all symbols that FILE contains to TABLE: .symtab, or else .dynsym and
 * .gnu_debugdata, or .gopclntab of Go programs. Returns false if FILE has code
 * that these tables do not cover: it has only .dynsym, or C code beside Go.
 */
bool elf_file_own_symbols(struct elf_file *file, struct symtab *table);
/*
 * Adds "name@plt" for each PLT entry (.plt, .plt.sec, .plt.got, .iplt) of
 * x86-64, i386 and aarch64, decoded from the entry's code. An IFUNC without a
 * name is "*ABS*+0x1000@plt", as in objdump.
 */
void elf_file_plt(struct elf_file *file, struct symtab *table);

/* File offsets [start, end) are linked at offset + delta. */
struct elf_segment {
	uint64_t start, end, delta;
};
/*
 * Returns the number of executable segments written to RET, at most ROOM. The
 * ranges of the segments are rounded to pages, as the kernel maps segments.
 */
size_t elf_file_segments(
	struct elf_file *file, struct elf_segment *ret, size_t room);
/*
 * Sets RET to the file offset of the linked address ADDRESS. Returns false if none of
 * the N SEGMENTS contains ADDRESS.
 */
bool elf_segments_offset(const struct elf_segment *segments, size_t n,
	uint64_t address, uint64_t *ret);

/* The same for the segments of code and of data. */
size_t elf_file_all_segments(
	struct elf_file *file, struct elf_segment *ret, size_t room);

/* A function or variable of a symbol table. */
struct elf_symbol {
	uint64_t address; /* linked address */
	uint64_t size;	  /* in bytes; 0: unknown */
	uint64_t offset;  /* file offset; UINT64_MAX: not in the file */
};
/*
 * Finds the symbol NAME in .symtab, .dynsym, .gnu_debugdata or .gopclntab, in this order.
 * NAME is without a symbol version ("name@version" is not found).
 */
bool elf_file_find(
	struct elf_file *file, const char *name, struct elf_symbol *ret);
/*
 * Returns true if the load address is chosen at run time (PIE or library).
 * Sets *ENTRY_RET to the linked address of the entry point.
 */
bool elf_file_is_relocated(struct elf_file *file, uint64_t *entry_ret);

/*
 * Returns the name of the debug file in .gnu_debuglink, borrowed from FILE, and
 * sets *CRC_RET to the CRC-32 of the debug file. Returns NULL if there is no
 * debug link.
 */
const char *elf_file_debuglink(struct elf_file *file, uint32_t *crc_ret);
/* Returns true if the CRC-32 of the whole file is WANTED. */
bool elf_file_has_crc(struct elf_file *file, uint32_t wanted);
/*
 * Returns the file name and build ID in .gnu_debugaltlink: the file with the
 * debug information that several debug files share (dwz). The name is borrowed
 * from FILE. Returns NULL if there is no .gnu_debugaltlink.
 */
const char *elf_file_altlink(struct elf_file *file, struct build_id *id_ret);

/*
 * Reads the build ID from the notes in the program headers of FD, with a few
 * small reads and without libelf. FD remains owned by the caller. Returns false
 * if there is no build ID.
 */
bool elf_read_build_id(int fd, struct build_id *ret);
/* Finds the build ID in ELF notes, for example those of /sys/kernel/notes. */
bool elf_notes_build_id(
	const uint8_t *notes, size_t size, struct build_id *ret);

#endif
