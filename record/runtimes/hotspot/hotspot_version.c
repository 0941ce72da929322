/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks the version of HotSpot, and sets the offsets that are in no table. */
#include "config.h"

#include "record/runtimes/hotspot/hotspot_private.h"

/* The newest version of the JDK that was compared with jstack. */
#define VERSION_MAX 27u
/* The first version whose UNSIGNED5 numbers have no byte of value 0 (unsigned5.hpp). */
#define EXCLUDES_ZERO_SINCE 20u
/*
 * interpreter_frame_bcp_offset of frame_x86.hpp, in bytes from rbp. Since JDK 9, the
 * frame also contains the mirror of the class.
 */
#define INTERPRETER_BCP (-64)
#define INTERPRETER_BCP_8 (-56)
#define INTERPRETER_MIRROR_SINCE 9u
#define PC_DESC_MAX 64u

/*
 * Returns true if LAYOUT has the fields of one of the versions that dwell can read.
 * dwell cannot read JDK 23 and 24, where the metadata are in the CodeBlob and the other
 * tables are outside of it.
 */
static bool has_known_fields(const struct hotspot_layout *layout)
{
	bool has_heaps = hotspot_has_field(layout->code_cache_heaps)
		? hotspot_has_field(layout->array_len)
		: hotspot_has_field(layout->code_cache_heap);
	bool has_code = hotspot_has_field(layout->blob_begin)
		? hotspot_has_field(layout->blob_end)
		: hotspot_has_field(layout->blob_code_offset) &&
			hotspot_has_field(layout->blob_data_offset);
	bool has_inner = hotspot_has_field(layout->nmethod_metadata) &&
		hotspot_has_field(layout->nmethod_dependencies) &&
		(hotspot_has_field(layout->nmethod_scopes) ||
			hotspot_has_field(layout->nmethod_scopes_offset));
	bool has_outer = hotspot_has_field(layout->nmethod_immutable_size) &&
		hotspot_has_field(layout->nmethod_scopes_offset) &&
		hotspot_has_field(layout->blob_mutable_data) &&
		hotspot_has_field(layout->blob_mutable_size) &&
		hotspot_has_field(layout->blob_relocation_size);

	return has_heaps && has_code &&
		layout->size_pc_desc >= sizeof(int32_t) &&
		layout->size_pc_desc <= PC_DESC_MAX &&
		layout->pc_desc_pc <= layout->size_pc_desc - sizeof(int32_t) &&
		layout->pc_desc_scope <=
		layout->size_pc_desc - sizeof(int32_t) &&
		(hotspot_has_field(layout->nmethod_immutable_data) ? has_outer
								   : has_inner);
}

enum runtime_state hotspot_version_set(struct process_memory *memory,
	struct hotspot_layout *layout, const char **reason_ret)
{
	uint32_t version = 0;

	*reason_ret = "dwell cannot read the structures of this version of "
		      "the Java virtual machine";
	if (!has_known_fields(layout))
		return RUNTIME_REFUSED;
	*reason_ret = NULL;
	/*
	 * The version of the JDK; 0: unknown. JDK 8 is recognized by its single
	 * code heap, because its HotSpot has a version number of its own.
	 */
	if (!hotspot_has_field(layout->code_cache_heaps))
		version = 8;
	else if (hotspot_has_field(layout->major_version) &&
		(!process_memory_u32(memory, layout->major_version, &version) ||
			!version))
		return RUNTIME_STARTING;
	if (version > VERSION_MAX) {
		*reason_ret =
			"the version of the Java virtual machine is newer than "
			"all versions that dwell can read";
		return RUNTIME_REFUSED;
	}
	layout->excludes_zero = version >= EXCLUDES_ZERO_SINCE;
	layout->interpreter_bcp = version < INTERPRETER_MIRROR_SINCE
		? INTERPRETER_BCP_8
		: INTERPRETER_BCP;
	return RUNTIME_READY;
}
