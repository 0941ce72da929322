/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/registers.h"

#include <strings.h>

static const char *const i386_names[] = { "AX", "BX", "CX", "DX", "SI", "DI",
	"BP", "SP", "IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS" };

/* The kernel refuses the four that long mode doesn't use. */
static const char *const x86_64_names[] = { "AX", "BX", "CX", "DX", "SI", "DI",
	"BP", "SP", "IP", "FLAGS", "CS", "SS", NULL, NULL, NULL, NULL, "R8",
	"R9", "R10", "R11", "R12", "R13", "R14", "R15" };

static const char *const arm_names[] = { "r0", "r1", "r2", "r3", "r4", "r5",
	"r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc" };

static const char *const aarch64_names[] = { "x0", "x1", "x2", "x3", "x4", "x5",
	"x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
	"x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
	"x27", "x28", "x29", "lr", "sp", "pc" };

static const char *const s390_names[] = { "R0", "R1", "R2", "R3", "R4", "R5",
	"R6", "R7", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15", "FP0",
	"FP1", "FP2", "FP3", "FP4", "FP5", "FP6", "FP7", "FP8", "FP9", "FP10",
	"FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC" };

static const char *const powerpc_names[] = { "r0", "r1", "r2", "r3", "r4", "r5",
	"r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16",
	"r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26",
	"r27", "r28", "r29", "r30", "r31", "nip", "msr", "orig_r3", "ctr",
	"link", "xer", "ccr", "softe", "trap", "dar", "dsisr", "sier",
	"mmcra" };

static const char *const riscv_names[] = { "pc", "ra", "sp", "gp", "tp", "t0",
	"t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
	"s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3",
	"t4", "t5", "t6" };

static const struct row {
	const char *machine; /* how its name begins */
	struct registers registers;
} table[] = {
	{ "x86_64", { x86_64_names, ARRAY_SIZE(x86_64_names) } },
	{ "i386", { i386_names, ARRAY_SIZE(i386_names) } },
	{ "i486", { i386_names, ARRAY_SIZE(i386_names) } },
	{ "i586", { i386_names, ARRAY_SIZE(i386_names) } },
	{ "i686", { i386_names, ARRAY_SIZE(i386_names) } },
	{ "aarch64", { aarch64_names, ARRAY_SIZE(aarch64_names) } },
	{ "arm", { arm_names, ARRAY_SIZE(arm_names) } },
	{ "s390", { s390_names, ARRAY_SIZE(s390_names) } },
	{ "ppc", { powerpc_names, ARRAY_SIZE(powerpc_names) } },
	{ "riscv", { riscv_names, ARRAY_SIZE(riscv_names) } },
};

struct registers registers_of(const char *machine)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (string_starts(machine, table[i].machine))
			return table[i].registers;
	return (struct registers){ NULL, 0 };
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
	return mask;
}

bool registers_find(const struct registers *registers, const char *name,
	size_t length, unsigned *bit_ret)
{
	unsigned bit;

	for (bit = 0; bit < registers->n; bit++) {
		const char *known = registers->names[bit];

		if (!known || strlen(known) != length ||
			strncasecmp(known, name, length) != 0)
			continue;
		*bit_ret = bit;
		return true;
	}
	return false;
}
