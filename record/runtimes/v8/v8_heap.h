/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads objects of V8's heap: tagged words, instance types and strings. A
 * tagged word is a Smi, a strong reference or a weak reference. The upper 32
 * bits of a Smi are the number, and bit 0 is 0. A strong reference is the
 * address of an object + 1, and a weak reference the address + 3. The first
 * word of an object refers to its Map.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_HEAP_H
#define DWELL_RECORD_RUNTIMES_V8_V8_HEAP_H

#include "common/util/strbuf.h"
#include "record/runtimes/interface/process_memory.h"
#include "record/runtimes/v8/v8_layout.h"

/* Limit of characters of a name; a longer name is shortened. */
#define V8_NAME_MAX 1024u
/* The number of kept Maps is a power of two. */
#define V8_MAPS 128u

struct v8_heap {
	const struct v8_layout *layout;
	struct process_memory *memory; /* borrowed for a step */
	/* number of calls of v8_heap_settle() since the Maps were forgotten */
	unsigned settled;
	/* kept Maps, and their instance types */
	struct v8_map {
		uint64_t
			word; /* reference to the Map; 0: the element is empty */
		int32_t type;
	} maps[V8_MAPS];
};

/*
 * Call between batches of samples. Each 32nd call forgets the kept Maps. Maps
 * may be kept longer than other objects: those of V8's own objects never
 * change, and others rarely.
 */
void v8_heap_settle(struct v8_heap *heap);

/* Returns the address of the object if WORD is a strong reference, or 0. */
static inline uint64_t v8_object(uint64_t word)
{
	return (word & 3) == 1 ? word - 1 : 0;
}

static inline bool v8_is_smi(uint64_t word)
{
	return (word & UINT32_MAX) == 0;
}

static inline int32_t v8_smi(uint64_t word)
{
	return (int32_t)(word >> 32);
}

/*
 * Returns the address of the object to which the word at ADDRESS refers, or 0.
 */
uint64_t v8_heap_field(struct v8_heap *heap, uint64_t address);
/* Returns the instance type of the Map to which MAP_WORD refers, or -1. */
int32_t v8_heap_map_type(struct v8_heap *heap, uint64_t map_word);
/*
 * Returns the instance type of the object at ADDRESS, or -1, as for an ADDRESS
 * of 0.
 */
int32_t v8_heap_type(struct v8_heap *heap, uint64_t address);
/*
 * Returns the present address of the object that was at ADDRESS. When the
 * garbage collector moves an object, it replaces the old Map word by the new
 * address, without a tag.
 */
uint64_t v8_heap_moved(struct v8_heap *heap, uint64_t address);
/* Returns true if TYPE is that of a string. */
static inline bool v8_is_string(int32_t type)
{
	return type >= 0 && type < 128;
}

/*
 * Finds the bytes of the ByteArray or TrustedByteArray at ADDRESS. Returns
 * false if no such array is at ADDRESS, or if it has more than MAX bytes.
 */
bool v8_heap_bytes(struct v8_heap *heap, uint64_t address, size_t max,
	uint64_t *start_ret, size_t *size_ret);
/*
 * Appends the string at ADDRESS to OUT in UTF-8, shortened to V8_NAME_MAX
 * characters. Returns false, with undefined text in OUT, if the string cannot
 * be read.
 */
bool v8_heap_string(struct v8_heap *heap, uint64_t address, struct strbuf *out);

/* The characters of a string that is stored in one piece. */
struct v8_flat_string {
	uint64_t start; /* address of the first character */
	uint32_t n;	/* characters */
	bool is_two_byte;
};
/*
 * Finds the characters of the string at ADDRESS. Fails if they are not in one
 * piece.
 */
bool v8_heap_flat_string(
	struct v8_heap *heap, uint64_t address, struct v8_flat_string *ret);

/* Appends N characters of Latin-1 or UTF-16 to OUT in UTF-8. */
void v8_put_latin1(struct strbuf *out, const uint8_t *text, size_t n);
void v8_put_utf16(struct strbuf *out, const uint16_t *text, size_t n);

#endif
