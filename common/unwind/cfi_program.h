/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information as compilers write it: CIEs and FDEs of .eh_frame and
 * .debug_frame, and the programs in them (DWARF 5, 6.4; LSB 5, 10.6 for
 * .eh_frame). An FDE becomes rows, each with the places of all registers. For
 * the compiler of rules and for whatever it leaves complex. Bytes are hostile:
 * nothing outside a section is read, and a program ends with its bytes.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_PROGRAM_H
#define DWELL_COMMON_UNWIND_CFI_PROGRAM_H

#include "common/unwind/unwind_arch.h"
#include "common/util/bytes.h"

/* One section; the bytes are borrowed. */
struct cfi_section {
	const uint8_t *at;
	size_t size;      /* at most CFI_SECTION_MAX; 0: there is none */
	uint64_t address; /* as linked; means nothing in .debug_frame */
	bool is_debug;    /* .debug_frame */
	/* What addresses can be relative to beside their own place. */
	uint64_t text, data;
};
#define CFI_SECTION_MAX MIB(128)

/* The code [start, end), and where its FDE is. */
struct cfi_fde {
	uint64_t start, end;
	uint32_t offset; /* in the section */
	bool is_debug;   /* in .debug_frame */
};

enum cfi_where {
	CFI_UNSPECIFIED, /* nothing was said: for most, as it was */
	CFI_SAME,
	CFI_UNDEFINED,
	CFI_AT_CFA,     /* in memory at CFA + offset */
	CFI_IS_CFA,     /* the value CFA + offset */
	CFI_IN,         /* in register number .n, + offset for the CFA itself */
	CFI_AT_RESULT,  /* in memory at what an expression gives */
	CFI_IS_RESULT,  /* the value that an expression gives */
};
struct cfi_place {
	uint32_t where : 4; /* enum cfi_where */
	uint32_t n : 28;    /* register, or the expression's size */
	int32_t offset;     /* of the expression: its place in the section */
};
#define CFI_PLACE_N_MAX ((1u << 28) - 1)

struct cfi_row {
	uint64_t start, end;
	struct cfi_place cfa;
	struct cfi_place at[UNWIND_REGISTERS];
	bool is_signal; /* a signal was delivered here: pc is no return address */
};

#define CFI_REMEMBERED_MAX 8u
/* Of a CIE's program; it is run once for each FDE in the worst case. */
#define CFI_INITIAL_MAX KIB(1)

/* What is said once for many FDEs. */
struct cfi_cie {
	uint32_t offset; /* in its section */
	bool is_ok, is_signal, is_sized;
	uint8_t encoding; /* of addresses, DW_EH_PE_* */
	uint8_t address_size;
	uint32_t ra; /* register number */
	uint64_t code_align;
	int64_t data_align;
	struct bytes program;
	struct cfi_row initial;
};

/* A walk through the rows of one FDE. */
struct cfi_walk {
	const struct cfi_section *section;
	enum unwind_arch arch;
	const struct cfi_cie *cie;
	struct bytes program;
	uint64_t location, end;
	struct cfi_row row;
	struct cfi_row remembered[CFI_REMEMBERED_MAX];
	unsigned n_remembered;
	bool is_initial, is_over, is_damaged;
};

/* False if there is none at OFFSET. */
bool cfi_read_cie(const struct cfi_section *section, enum unwind_arch arch,
	uint32_t offset, struct cfi_cie *ret);

/* The registers as CIE's program leaves them; false if it is damaged. */
bool cfi_run_initial(const struct cfi_section *section, enum unwind_arch arch,
	struct cfi_cie *cie);

/* Goes through a section, from entry to entry; a zeroed one is its beginning. */
struct cfi_entries {
	size_t at;        /* where the next one begins */
	uint32_t cie;     /* that the FDE names */
	struct bytes fde; /* behind the CIE's name */
	uint32_t offset;
};
/* The next FDE; false: there are no more. */
bool cfi_entries_next(
	const struct cfi_section *section, struct cfi_entries *entries);
/* The code that ENTRIES' FDE is for; leaves its program. False: none. */
bool cfi_read_fde(const struct cfi_section *section, const struct cfi_cie *cie,
	struct cfi_entries *entries, struct cfi_fde *ret);

/* Begins with FDE, of which CIE was read; PROGRAM as cfi_read_fde() left it. */
void cfi_walk_start(struct cfi_walk *walk, const struct cfi_section *section,
	enum unwind_arch arch, const struct cfi_cie *cie,
	const struct cfi_fde *fde, struct bytes program);
/* The next row is in walk->row; false: there are no more. */
bool cfi_walk_next(struct cfi_walk *walk);

#endif
