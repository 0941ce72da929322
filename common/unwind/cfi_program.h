/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads call frame information: the CIEs and FDEs of .eh_frame and
 * .debug_frame, and the CFI programs in them (DWARF 5, 6.4; LSB 5, 10.6 for
 * .eh_frame). The program of an FDE yields rows. A row describes, for a range
 * of code, where the CFA and the caller's registers are. The bytes are
 * untrusted: nothing outside of a section is read, and a program ends with its
 * last byte.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_PROGRAM_H
#define DWELL_COMMON_UNWIND_CFI_PROGRAM_H

#include "common/unwind/unwind_arch.h"
#include "common/util/bytes.h"

/* A CFI section; the bytes are borrowed. */
struct cfi_section {
	const uint8_t *at;
	size_t size;	  /* at most CFI_SECTION_MAX; 0: no section */
	uint64_t address; /* link-time address; unused for .debug_frame */
	bool is_debug;	  /* is a .debug_frame */
	/* Bases of relative addresses (DW_EH_PE_textrel, DW_EH_PE_datarel). */
	uint64_t text, data;
};
#define CFI_SECTION_MAX MIB(128)

/* An FDE, for the code from .start to .end (exclusive). */
struct cfi_fde {
	uint64_t start, end;
	uint32_t offset; /* offset of the FDE in its section */
	bool is_debug;	 /* the FDE is in .debug_frame */
};

enum cfi_where {
	CFI_UNSPECIFIED, /* not in the row: most registers are unchanged */
	CFI_SAME,
	CFI_UNDEFINED,
	CFI_AT_CFA,    /* in memory at CFA + .offset */
	CFI_IS_CFA,    /* the value CFA + .offset */
	CFI_IN,	       /* in register .n; for the CFA, plus .offset */
	CFI_AT_RESULT, /* in memory at the result of an expression */
	CFI_IS_RESULT, /* the result of an expression */
};
struct cfi_place {
	uint32_t where : 4; /* enum cfi_where */
	uint32_t n : 28;    /* register, or size of the expression */
	int32_t offset;	    /* for an expression: its offset in the section */
};
#define CFI_PLACE_N_MAX ((1u << 28) - 1)

struct cfi_row {
	uint64_t start, end;
	struct cfi_place cfa;
	struct cfi_place at[UNWIND_REGISTERS];
	bool is_signal; /* signal frame: the pc is not a return address */
};

#define CFI_REMEMBERED_MAX 8u
/* Limit of a CIE's program in bytes. The program may be run once per FDE. */
#define CFI_INITIAL_MAX KIB(1)

/* A CIE: the data that many FDEs share. */
struct cfi_cie {
	uint32_t offset; /* offset of the CIE in its section */
	bool is_ok, is_signal, is_sized;
	uint8_t encoding; /* of addresses in FDEs; DW_EH_PE_* */
	uint8_t address_size;
	uint32_t ra; /* register number of the return address */
	uint64_t code_align;
	int64_t data_align;
	struct bytes program;
	struct cfi_row initial;
};

/* Iterates over the rows of one FDE. */
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

/*
 * Reads the CIE at OFFSET of SECTION and runs its program. Returns false if
 * there is no valid CIE at OFFSET.
 */
bool cfi_read_cie(const struct cfi_section *section, enum unwind_arch arch,
	uint32_t offset, struct cfi_cie *ret);

/*
 * Runs CIE's program and sets cie->initial. Returns false if the program is
 * damaged.
 */
bool cfi_run_initial(const struct cfi_section *section, enum unwind_arch arch,
	struct cfi_cie *cie);

/*
 * Iterates over the FDEs of a section. Zero-initialize the struct to start at
 * the first FDE.
 */
struct cfi_entries {
	size_t at;	  /* offset of the next CIE or FDE */
	uint32_t cie;	  /* offset of the FDE's CIE */
	struct bytes fde; /* bytes of the FDE after its CIE pointer */
	uint32_t offset;
};
/*
 * Moves ENTRIES to the next FDE of SECTION. Returns false after the last FDE.
 */
bool cfi_entries_next(
	const struct cfi_section *section, struct cfi_entries *entries);
/*
 * Sets RET to the current FDE of ENTRIES, with its code range. entries->fde is
 * then the FDE's program. Returns false if the FDE is damaged.
 */
bool cfi_read_fde(const struct cfi_section *section, const struct cfi_cie *cie,
	struct cfi_entries *entries, struct cfi_fde *ret);

/*
 * Initializes WALK to iterate over the rows of FDE, which uses CIE. PROGRAM is
 * the FDE's program: entries->fde after cfi_read_fde().
 */
void cfi_walk_start(struct cfi_walk *walk, const struct cfi_section *section,
	enum unwind_arch arch, const struct cfi_cie *cie,
	const struct cfi_fde *fde, struct bytes program);
/*
 * Sets walk->row to the next row of the FDE. Returns false after the last row.
 */
bool cfi_walk_next(struct cfi_walk *walk);

#endif
