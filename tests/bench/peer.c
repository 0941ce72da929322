/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "peer.h"

#ifdef HAVE_LIBUNWIND

#include <gelf.h>
#include <libunwind.h>

#include "tests/peer/unwanted.h"

/* A function of libunwind that its header does not declare. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as, unw_word_t ip,
	unw_dyn_info_t *di, unw_proc_info_t *pi, int need_unwind_info,
	void *arg);

/*
 * Size of the header of .eh_frame_hdr, and the only encoding of its table that
 * is supported (LSB 5, 10.6.2).
 */
#define HEAD_SIZE 12u
#define HEAD_TABLE 0x3b

struct peer {
	struct stacks *stacks;
	ARRAY(unw_addr_space_t) spaces;
	const struct stacks_sample *sample;
	struct stacks_file *file; /* of the last find_proc_info(), or NULL */
	uint64_t bias;
};

static bool read_bytes(const struct elf_section *section, uint64_t bias,
	uint64_t address, uint64_t *ret)
{
	uint64_t at = address - bias - section->address;

	if (section->size < 8 || at > section->size - 8)
		return false;
	memcpy(ret, section->at + at, sizeof(*ret));
	return true;
}

/* Reads a word that extends beyond the end of a section, padded with zeros. */
static bool read_end(const struct elf_section *section, uint64_t bias,
	uint64_t address, uint64_t *ret)
{
	uint64_t at = address - bias - section->address;

	if (at >= section->size)
		return false;
	*ret = 0;
	memcpy(ret, section->at + at, section->size - at);
	return true;
}

/*
 * Reads a word from the file's segments: libunwind reads the addresses of
 * personality routines. They are not relocated, but are never called.
 */
static bool read_file(const struct stacks_file *file, uint64_t bias,
	uint64_t address, uint64_t *ret)
{
	Elf *elf = elf_file_handle(file->elf);
	size_t n = 0, i;

	elf_getphdrnum(elf, &n);
	for (i = 0; i < n; i++) {
		GElf_Phdr header;
		uint64_t at;

		if (!gelf_getphdr(elf, (int)i, &header) ||
			header.p_type != PT_LOAD ||
			address - bias - header.p_vaddr >= header.p_filesz)
			continue;
		at = address - bias - header.p_vaddr + header.p_offset;
		if (file->size < 8 || at > file->size - 8)
			return false;
		memcpy(ret, file->bytes + at, sizeof(*ret));
		return true;
	}
	return false;
}

static int access_mem(unw_addr_space_t as, unw_word_t address,
	unw_word_t *ret, int is_write, void *data)
{
	const struct peer *peer = data;
	const struct unwind_memory *memory = &peer->sample->memory;
	uint64_t at = address - memory->start;

	(void)as;
	if (is_write)
		return -UNW_EINVAL;
	if (at < memory->size && memory->size - at >= 8) {
		memcpy(ret, memory->bytes + at, sizeof(*ret));
		return 0;
	}
	if (peer->file &&
		(read_bytes(&peer->file->eh_frame, peer->bias, address, ret) ||
			read_bytes(&peer->file->eh_frame_hdr, peer->bias,
				address, ret) ||
			read_end(&peer->file->eh_frame, peer->bias, address,
				ret) ||
			read_end(&peer->file->eh_frame_hdr, peer->bias,
				address, ret) ||
			read_file(peer->file, peer->bias, address, ret)))
		return 0;
	return -UNW_EINVAL;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip,
	unw_proc_info_t *ret, int needs_info, void *data)
{
	struct peer *peer = data;
	unw_dyn_info_t info = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	const struct elf_section *head;
	uint32_t n;

	peer->file = stacks_file_at(
		peer->stacks, peer->sample->space, ip, &peer->bias);
	head = peer->file ? &peer->file->eh_frame_hdr : NULL;
	if (!head || head->size < HEAD_SIZE || head->at[3] != HEAD_TABLE)
		return -UNW_ENOINFO;
	memcpy(&n, head->at + 8, sizeof(n));
	info.start_ip = 0;
	info.end_ip = UINT64_MAX;
	info.u.rti.segbase = head->address + peer->bias;
	info.u.rti.table_data = info.u.rti.segbase + HEAD_SIZE;
	info.u.rti.table_len = (unw_word_t)n * 8 / sizeof(unw_word_t);
	return UNW_OBJ(dwarf_search_unwind_table)(
		as, ip, &info, ret, needs_info, data);
}

static int access_reg(unw_addr_space_t as, unw_regnum_t n, unw_word_t *ret,
	int is_write, void *data)
{
	const struct peer *peer = data;

	(void)as;
	if (is_write || n < 0 || n > UNW_X86_64_RIP)
		return -UNW_EBADREG;
	*ret = n == UNW_X86_64_RIP ? peer->sample->registers.pc :
				     peer->sample->registers.value[n];
	return 0;
}

static unw_accessors_t accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = unwanted_put_unwind_info,
	.get_dyn_info_list_addr = unwanted_dyn_info,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = unwanted_fpreg,
	.resume = unwanted_resume,
	.get_proc_name = unwanted_name,
};

struct peer *peer_create(struct stacks *stacks)
{
	struct peer *peer = xcalloc(1, sizeof(*peer));

	peer->stacks = stacks;
	return peer;
}

void peer_destroy(struct peer *peer)
{
	if (!peer)
		return;
	array_each(&peer->spaces, space)
		if (*space)
			unw_destroy_addr_space(*space);
	array_free(&peer->spaces);
	free(peer);
}

size_t peer_unwind(struct peer *peer, const struct stacks_sample *sample,
	uint64_t *pcs, size_t room)
{
	unw_cursor_t cursor;
	unw_addr_space_t *space;
	size_t n = 0;

	while (peer->spaces.n <= sample->space)
		array_push(&peer->spaces);
	space = &peer->spaces.at[sample->space];
	if (!*space) {
		*space = unw_create_addr_space(&accessors, 0);
		unw_set_caching_policy(*space, UNW_CACHE_GLOBAL);
	}
	peer->sample = sample;
	if (unw_init_remote(&cursor, *space, peer) < 0)
		return 0;
	do {
		unw_word_t pc;

		if (unw_get_reg(&cursor, UNW_REG_IP, &pc) < 0)
			break;
		/* The pc of libunwind's last frame may be 0. */
		if (!pc && n)
			break;
		pcs[n++] = pc;
	} while (n < room && unw_step(&cursor) > 0);
	return n;
}

#else

struct peer *peer_create(struct stacks *stacks)
{
	(void)stacks;
	return NULL;
}

void peer_destroy(struct peer *peer)
{
	(void)peer;
}

size_t peer_unwind(struct peer *peer, const struct stacks_sample *sample,
	uint64_t *pcs, size_t room)
{
	(void)peer;
	(void)sample;
	(void)pcs;
	(void)room;
	return 0;
}

#endif
