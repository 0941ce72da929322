/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/registers.h"

#include <strings.h>

/* Each XMM register has two bits in the mask, one for each 64-bit half. */
#define XMM_NAMES                                                              \
	[32] = "XMM0", "XMM0", "XMM1", "XMM1", "XMM2", "XMM2", "XMM3", "XMM3", \
	"XMM4", "XMM4", "XMM5", "XMM5", "XMM6", "XMM6", "XMM7", "XMM7",        \
	"XMM8", "XMM8", "XMM9", "XMM9", "XMM10", "XMM10", "XMM11", "XMM11",    \
	"XMM12", "XMM12", "XMM13", "XMM13", "XMM14", "XMM14", "XMM15", "XMM15"
#define XMM_MASK (UINT64_C(0xffffffff) << 32)

static const char *const i386_names[] = { "AX", "BX", "CX", "DX", "SI", "DI",
	"BP", "SP", "IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS",
	XMM_NAMES };

/* The kernel refuses the four segment registers that long mode does not use. */
static const char *const x86_64_names[] = { "AX", "BX", "CX", "DX", "SI", "DI",
	"BP", "SP", "IP", "FLAGS", "CS", "SS", NULL, NULL, NULL, NULL, "R8",
	"R9", "R10", "R11", "R12", "R13", "R14", "R15", XMM_NAMES };

static const char *const arm_names[] = { "r0", "r1", "r2", "r3", "r4", "r5",
	"r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc" };

static const char *const aarch64_names[] = { "x0", "x1", "x2", "x3", "x4", "x5",
	"x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
	"x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
	"x27", "x28", "x29", "lr", "sp", "pc", [46] = "vg" };
#define VG_MASK (UINT64_C(1) << 46)

static const char *const s390_names[] = { "R0", "R1", "R2", "R3", "R4", "R5",
	"R6", "R7", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15", "FP0",
	"FP1", "FP2", "FP3", "FP4", "FP5", "FP6", "FP7", "FP8", "FP9", "FP10",
	"FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC" };

static const char *const powerpc_names[] = { "r0", "r1", "r2", "r3", "r4", "r5",
	"r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16",
	"r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26",
	"r27", "r28", "r29", "r30", "r31", "nip", "msr", "orig_r3", "ctr",
	"link", "xer", "ccr", "softe", "trap", "dar", "dsisr", "sier", "mmcra",
	"mmcr0", "mmcr1", "mmcr2", "mmcr3", "sier2", "sier3", "pmc1", "pmc2",
	"pmc3", "pmc4", "pmc5", "pmc6", "sdar", "siar" };
#define POWERPC_PMU_MASK (((UINT64_C(1) << 14) - 1) << 45)

static const char *const riscv_names[] = { "pc", "ra", "sp", "gp", "tp", "t0",
	"t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
	"s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3",
	"t4", "t5", "t6" };

#define REGISTERS(names, extended)                 \
	{                                          \
		names, ARRAY_SIZE(names), extended \
	}

static const struct register_row {
	const char *machine; /* prefix of the machine's name */
	struct registers registers;
} table[] = {
	{ "x86_64", REGISTERS(x86_64_names, XMM_MASK) },
	{ "i386", REGISTERS(i386_names, XMM_MASK) },
	{ "i486", REGISTERS(i386_names, XMM_MASK) },
	{ "i586", REGISTERS(i386_names, XMM_MASK) },
	{ "i686", REGISTERS(i386_names, XMM_MASK) },
	{ "aarch64", REGISTERS(aarch64_names, VG_MASK) },
	{ "arm", REGISTERS(arm_names, 0) },
	{ "s390", REGISTERS(s390_names, 0) },
	{ "ppc", REGISTERS(powerpc_names, POWERPC_PMU_MASK) },
	{ "riscv", REGISTERS(riscv_names, 0) },
};

struct registers registers_of(const char *machine)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (string_starts(machine, table[i].machine))
			return table[i].registers;
	return (struct registers){ 0 };
}

const char *registers_name(const struct registers *registers, unsigned bit)
{
	return bit < registers->n ? registers->names[bit] : NULL;
}

uint64_t registers_all(const struct registers *registers)
{
	uint64_t mask = 0;
	unsigned bit;

	for (bit = 0; bit < registers->n; bit++)
		if (registers->names[bit])
			mask |= UINT64_C(1) << bit;
	return mask & ~registers->extended;
}

uint64_t registers_find(
	const struct registers *registers, const char *name, size_t length)
{
	uint64_t mask = 0;
	unsigned bit;

	for (bit = 0; bit < registers->n; bit++) {
		const char *known = registers->names[bit];

		if (known && strlen(known) == length &&
			strncasecmp(known, name, length) == 0)
			mask |= UINT64_C(1) << bit;
	}
	return mask;
}
