/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A forged libjvm.so: a library with the tables that HotSpot exports. With -DPROGRAM,
 * this file is the program that links to the library, sets the tables, and runs machine
 * code in a forged code cache:
 *
 * 	forged MODE SECONDS
 *
 * 	0	tables without an end
 * 	1	texts without an end, and pointers that cannot be read
 * 	2	valid tables, and a segment map without the start of a block
 * 	3	valid tables, and a method whose tables are larger than any method's
 * 	4	as 2, with a code cache that is initialized after some time
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct field {
	const char *type, *name, *text;
	int32_t is_static;
	uint64_t offset;
	void *address;
};
struct type {
	const char *name, *super;
	int32_t is[4];
	uint64_t size;
};

#ifndef PROGRAM

#define EXPORT(name, value) uint64_t name = (value)
EXPORT(gHotSpotVMStructEntryTypeNameOffset, offsetof(struct field, type));
EXPORT(gHotSpotVMStructEntryFieldNameOffset, offsetof(struct field, name));
EXPORT(gHotSpotVMStructEntryOffsetOffset, offsetof(struct field, offset));
EXPORT(gHotSpotVMStructEntryAddressOffset, offsetof(struct field, address));
EXPORT(gHotSpotVMStructEntryArrayStride, sizeof(struct field));
EXPORT(gHotSpotVMTypeEntryTypeNameOffset, offsetof(struct type, name));
EXPORT(gHotSpotVMTypeEntrySizeOffset, offsetof(struct type, size));
EXPORT(gHotSpotVMTypeEntryArrayStride, sizeof(struct type));
struct field *gHotSpotVMStructs;
struct type *gHotSpotVMTypes;

/*
 * Sets the tables. If the program set these variables itself, it would set copies of
 * them (a copy relocation).
 */
void set_tables(struct field *fields, struct type *types)
{
	gHotSpotVMStructs = fields;
	gHotSpotVMTypes = types;
}

#else

void set_tables(struct field *fields, struct type *types);

static uint64_t heaps_at, call_stub;

static struct field fields[] = {
	{ "CodeCache", "_heaps", "", 1, 0, &heaps_at },
	{ "StubRoutines", "_call_stub_return_address", "", 1, 0, &call_stub },
	{ "GrowableArrayBase", "_len", "", 0, 0, NULL },
	{ "GrowableArray<int>", "_data", "", 0, 8, NULL },
	{ "CodeHeap", "_memory", "", 0, 0, NULL },
	{ "CodeHeap", "_segmap", "", 0, 16, NULL },
	{ "CodeHeap", "_log2_segment_size", "", 0, 32, NULL },
	{ "VirtualSpace", "_low_boundary", "", 0, 0, NULL },
	{ "VirtualSpace", "_high_boundary", "", 0, 8, NULL },
	{ "CodeBlob", "_name", "", 0, 0, NULL },
	{ "CodeBlob", "_code_begin", "", 0, 8, NULL },
	{ "CodeBlob", "_code_end", "", 0, 16, NULL },
	{ "CodeBlob", "_frame_size", "", 0, 24, NULL },
	{ "CodeBlob", "_frame_complete_offset", "", 0, 28, NULL },
	{ "CompiledMethod", "_method", "", 0, 32, NULL },
	{ "CompiledMethod", "_scopes_data_begin", "", 0, 40, NULL },
	{ "nmethod", "_compile_id", "", 0, 48, NULL },
	{ "nmethod", "_metadata_offset", "", 0, 52, NULL },
	{ "nmethod", "_scopes_pcs_offset", "", 0, 56, NULL },
	{ "nmethod", "_dependencies_offset", "", 0, 60, NULL },
	{ "PcDesc", "_pc_offset", "", 0, 0, NULL },
	{ "PcDesc", "_scope_decode_offset", "", 0, 4, NULL },
	{ "Method", "_constMethod", "", 0, 8, NULL },
	{ "ConstMethod", "_constants", "", 0, 8, NULL },
	{ "ConstMethod", "_code_size", "", 0, 32, NULL },
	{ "ConstMethod", "_name_index", "", 0, 34, NULL },
	{ "ConstMethod", "_method_idnum", "", 0, 36, NULL },
	{ "ConstantPool", "_pool_holder", "", 0, 24, NULL },
	{ "Klass", "_name", "", 0, 24, NULL },
	{ "InstanceKlass", "_methods", "", 0, 32, NULL },
	{ "Symbol", "_length", "", 0, 4, NULL },
	{ "Symbol", "_body", "", 0, 6, NULL },
	{ NULL, NULL, NULL, 0, 0, NULL },
};
static struct type types[] = {
	{ "HeapBlock", "", { 0 }, 16 },
	{ "ConstMethod", "", { 0 }, 48 },
	{ "ConstantPool", "", { 0 }, 72 },
	{ "PcDesc", "", { 0 }, 16 },
	{ NULL, NULL, { 0 }, 0 },
};

#define CACHE_SIZE (4u << 20)
#define CODE_OFFSET (CACHE_SIZE / 2)

/* loop: dec rdi; jnz loop; ret */
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };

static void put(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* Makes a blob with NAME at BLOB. Its code begins at BEGIN. */
static void make_blob(uint8_t *blob, const char *name, uint8_t *begin)
{
	put(blob, (uintptr_t)name);
	put(blob + 8, (uintptr_t)begin);
	put(blob + 16, (uintptr_t)begin + 4096);
	put(blob + 32, (uintptr_t)blob + 512); /* the method */
	put(blob + 40, (uintptr_t)blob + 128); /* its scopes */
	put(blob + 52, 128 | UINT64_C(256) << 32);
	put(blob + 60, UINT64_C(0x7fffffff));
	/* The method, ConstMethod, constants, class and name are one object. */
	put(blob + 520, (uintptr_t)blob + 512);
	put(blob + 536, (uintptr_t)blob + 512);
	put(blob + 544, (uintptr_t)blob + 512);
}

static void run_for(void (*loop)(uint64_t), double seconds)
{
	for (clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
		clock() < end;)
		loop(1000000);
}

int main(int argc, char **argv)
{
	int mode = argc > 1 ? atoi(argv[1]) : 0;
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	uint8_t *cache =
		mmap(NULL, CACHE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *segments = calloc(1, CACHE_SIZE / 64 + 1);
	uint64_t heap[8] = { (uintptr_t)cache, (uintptr_t)cache + CACHE_SIZE,
		(uintptr_t)segments, 0, 6 };
	uint64_t list[2] = { 1, 0 };
	char *endless = malloc(1 << 20);
	void (*loop)(uint64_t);
	size_t i;

	memset(endless, 'A', 1 << 20);
	heaps_at = (uintptr_t)list;
	list[1] = (uintptr_t) & (uint64_t *){ heap };
	call_stub = 1;
	set_tables(fields, types);
	if (mode == 0)
		fields[sizeof(fields) / sizeof(fields[0]) - 1].type = "A";
	if (mode == 1)
		for (i = 0; i < 4; i++)
			fields[i].type = i % 2 ? endless : (char *)8;
	memcpy(cache + CODE_OFFSET, code, sizeof(code));
	memset(segments, mode == 3 ? 128 : 1, CACHE_SIZE / 64);
	segments[0] = mode != 3;
	make_blob(cache + 16, mode == 3 ? "nmethod" : "Interpreter",
		cache + CODE_OFFSET - 64);
	memcpy(&loop, &(void *){ cache + CODE_OFFSET }, sizeof(loop));
	if (mode == 4) {
		heaps_at = 0;
		run_for(loop, seconds / 2);
		heaps_at = (uintptr_t)list;
	}
	run_for(loop, seconds);
	return 0;
}

#endif
