/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads CIEs, FDEs and the addresses in them. cfi_program.c runs their CFI
 * programs.
 */
#include "config.h"

#include "common/unwind/cfi_program.h"

#include "common/util/bytes.h"

/* Limit of a CIE's data alignment factor; compilers use the word size. */
#define ALIGN_MAX 1024

/* Encodings of addresses (LSB 5, 10.5.1): format, and base. */
enum pointer {
	POINTER_ABSOLUTE = 0x00,
	POINTER_ULEB = 0x01,
	POINTER_U16 = 0x02,
	POINTER_U32 = 0x03,
	POINTER_U64 = 0x04,
	POINTER_SLEB = 0x09,
	POINTER_S16 = 0x0a,
	POINTER_S32 = 0x0b,
	POINTER_S64 = 0x0c,
	POINTER_FORMAT = 0x0f,
	POINTER_PC = 0x10,
	POINTER_TEXT = 0x20,
	POINTER_DATA = 0x30,
	POINTER_BASE = 0x70,
	POINTER_INDIRECT = 0x80,
	POINTER_NONE = 0xff,
};

static uint64_t read_encoded_value(
	struct bytes *b, unsigned format, unsigned address_size)
{
	switch (format) {
	case POINTER_ABSOLUTE:
		return address_size == 4 ? bytes_u32(b) : bytes_u64(b);
	case POINTER_ULEB: return bytes_uleb(b);
	case POINTER_U16: return bytes_u16(b);
	case POINTER_U32: return bytes_u32(b);
	case POINTER_SLEB: return (uint64_t)bytes_sleb(b);
	case POINTER_S16: return (uint64_t)(int64_t)(int16_t)bytes_u16(b);
	case POINTER_S32: return (uint64_t)(int64_t)(int32_t)bytes_u32(b);
	case POINTER_U64:
	case POINTER_S64: return bytes_u64(b);
	}
	b->ok = false;
	return 0;
}

/*
 * Reads the header of the CIE or FDE at offset AT of SECTION. *B is set to the
 * bytes after the header. Returns false if the header is damaged.
 */
static bool read_entry_head(const struct cfi_section *section, size_t at,
	struct bytes *b, uint64_t *id_ret, size_t *id_at_ret, bool *is_64_ret)
{
	uint64_t length;

	*b = bytes_of(section->at + at, section->size - at, false);
	length = bytes_u32(b);
	*is_64_ret = length == UINT32_MAX;
	if (*is_64_ret)
		length = bytes_u64(b);
	if (!b->ok || length > bytes_left(b) || length < 4)
		return false;
	b->end = b->at + length;
	*id_at_ret = (size_t)(b->at - section->at);
	/* In .eh_frame the ID has 32 bits even with a 64-bit length. */
	if (section->is_debug && *is_64_ret)
		*id_ret = bytes_u64(b);
	else
		*id_ret = bytes_u32(b);
	return b->ok;
}

static bool is_cie_id(
	const struct cfi_section *section, uint64_t id, bool is_64)
{
	if (!section->is_debug)
		return id == 0;
	return id == (is_64 ? UINT64_MAX : UINT32_MAX);
}

bool cfi_entries_next(
	const struct cfi_section *section, struct cfi_entries *entries)
{
	while (entries->at < section->size) {
		size_t at = entries->at, id_at;
		struct bytes b;
		uint64_t id;
		bool is_64;

		if (!read_entry_head(section, at, &b, &id, &id_at, &is_64)) {
			/*
			 * Skip an entry of length 0, which linkers leave
			 * between the .eh_frame sections of input files.
			 */
			if (section->size - at < 4 ||
				b.at != section->at + at + 4 || !b.ok ||
				memcmp(section->at + at, "\0\0\0", 4))
				return false;
			entries->at += 4;
			continue;
		}
		entries->at = (size_t)(b.end - section->at);
		if (is_cie_id(section, id, is_64))
			continue;
		entries->offset = (uint32_t)at;
		entries->fde = b;
		if (!section->is_debug)
			id = id_at - id;
		if (id >= section->size)
			continue;
		entries->cie = (uint32_t)id;
		return true;
	}
	return false;
}

/*
 * Reads the augmentation data of CIE from B. LETTERS, the augmentation string,
 * describes their format.
 */
static bool read_augmentation(
	struct bytes *b, const char *letters, struct cfi_cie *cie)
{
	struct bytes data;
	uint64_t size;

	if (!*letters)
		return b->ok;
	if (*letters != 'z')
		return false;
	cie->is_sized = true;
	size = bytes_uleb(b);
	if (!b->ok || size > bytes_left(b))
		return false;
	data = bytes_of(b->at, (size_t)size, false);
	bytes_take(b, (size_t)size);
	while (*++letters) {
		unsigned encoding;

		switch (*letters) {
		case 'L': bytes_u8(&data); break;
		case 'R': cie->encoding = bytes_u8(&data); break;
		case 'P':
			encoding = bytes_u8(&data);
			/* Skip the personality routine. */
			read_encoded_value(&data, encoding & POINTER_FORMAT,
				cie->address_size);
			break;
		case 'S': cie->is_signal = true; break;
		case 'B': /* aarch64: return address signed with key B */
		case 'G': /* aarch64: frames with memory tags */ break;
		default:
			/*
			 * Unknown letter: ignore the other augmentation data,
			 * which can be skipped because their size is known.
			 */
			return data.ok;
		}
	}
	return data.ok;
}

bool cfi_read_cie(const struct cfi_section *section, enum unwind_arch arch,
	uint32_t offset, struct cfi_cie *ret)
{
	unsigned version, segment_size = 0;
	const char *letters;
	struct bytes b;
	size_t id_at;
	uint64_t id;
	bool is_64;

	memset(ret, 0, offsetof(struct cfi_cie, initial));
	ret->offset = offset;
	ret->address_size = unwind_numbers[arch].word_size;
	if (offset >= section->size ||
		!read_entry_head(section, offset, &b, &id, &id_at, &is_64) ||
		!is_cie_id(section, id, is_64))
		return false;
	version = bytes_u8(&b);
	if (version != 1 && version != 3 && version != 4)
		return false;
	letters = bytes_string(&b);
	if (version == 4) {
		ret->address_size = bytes_u8(&b);
		segment_size = bytes_u8(&b);
	}
	ret->code_align = bytes_uleb(&b);
	ret->data_align = bytes_sleb(&b);
	ret->ra = (uint32_t)(version == 1 ? bytes_u8(&b) : bytes_uleb(&b));
	if (!b.ok || segment_size || ret->data_align > ALIGN_MAX ||
		ret->data_align < -ALIGN_MAX ||
		ret->address_size != unwind_numbers[arch].word_size ||
		ret->ra != unwind_numbers[arch].ra ||
		!read_augmentation(&b, letters, ret))
		return false;
	ret->program = b;
	ret->is_ok = bytes_left(&b) <= CFI_INITIAL_MAX &&
		cfi_run_initial(section, arch, ret);
	return ret->is_ok;
}

bool cfi_read_fde(const struct cfi_section *section, const struct cfi_cie *cie,
	struct cfi_entries *entries, struct cfi_fde *ret)
{
	struct bytes *b = &entries->fde;
	uint64_t size;

	uint64_t base = 0, value;

	switch (cie->encoding & POINTER_BASE) {
	case 0: break;
	case POINTER_PC:
		base = section->address + (uint64_t)(b->at - section->at);
		break;
	case POINTER_TEXT: base = section->text; break;
	case POINTER_DATA: base = section->data; break;
	default: b->ok = false;
	}
	/* Addresses of code are never indirect. */
	if (cie->encoding & POINTER_INDIRECT)
		b->ok = false;
	value = base +
		read_encoded_value(
			b, cie->encoding & POINTER_FORMAT, cie->address_size);
	ret->start = cie->address_size == 4 ? (uint32_t)value : value;
	size = read_encoded_value(
		b, cie->encoding & POINTER_FORMAT, cie->address_size);
	if (cie->is_sized) {
		uint64_t n = bytes_uleb(b);

		if (n > bytes_left(b))
			return false;
		bytes_take(b, (size_t)n);
	}
	ret->offset = entries->offset;
	ret->is_debug = section->is_debug;
	return b->ok && size &&
		!__builtin_add_overflow(ret->start, size, &ret->end);
}
