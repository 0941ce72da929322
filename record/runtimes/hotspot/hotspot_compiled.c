/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names a frame of compiled code: the method, and the methods inlined into it. */
#include "config.h"

#include "record/runtimes/hotspot/hotspot_private.h"

/*
 * Returns the offset, in the scopes, of the scope at OFFSET in the code, or 0 if the
 * scope is unknown. PcDescs are sorted by pc. The PcDesc of a call has the return
 * address. A pc between two PcDescs belongs to the second one (nmethod::pc_desc_near).
 */
static uint32_t find_scope(const struct hotspot_layout *layout,
	const struct hotspot_blob *blob, int32_t offset, bool is_exact)
{
	size_t low = 0, high = blob->n_pcs;
	struct hotspot_pc_desc desc;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (hotspot_pc_desc(layout, blob, middle).pc < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == blob->n_pcs)
		return 0;
	desc = hotspot_pc_desc(layout, blob, low);
	if ((!is_exact && desc.pc != offset) || desc.scope < 0)
		return 0;
	return (uint32_t)desc.scope;
}

/* A scope: a method, its current bytecode, and the scope of the caller. */
struct java_scope {
	uint32_t sender; /* offset in the scopes; 0: not inlined */
	uint32_t method; /* 1 + the index in the metadata */
	uint32_t bci;	 /* 1 + the bytecode index; 0: none */
};

static bool add_java_function(const struct hotspot_view *view, uint64_t address,
	uint32_t bci, struct runtime_step *ret)
{
	const struct hotspot_method *method =
		hotspot_find_method(view, address);
	uint32_t line;

	if (!method)
		return false;
	line = bci && bci <= method->code_size ? hotspot_line(method, bci - 1)
					       : 0;
	ret->functions[ret->n++] = runtime_function_address(
		view->functions, RUNTIME_JAVA, method->function, line);
	return true;
}

bool hotspot_add_compiled(const struct hotspot_view *view,
	const struct hotspot_blob *blob, uint64_t pc, bool is_exact,
	struct runtime_step *ret)
{
	const struct hotspot_layout *layout = &view->hotspot->layout;
	uint32_t at =
		find_scope(layout, blob, (int32_t)(pc - blob->begin), is_exact);
	struct java_scope scope;
	uint64_t method;

	if (!at)
		return add_java_function(view, blob->method, 0, ret);
	for (; at && ret->n < RUNTIME_INLINED_MAX; at = scope.sender) {
		const uint8_t *scopes = hotspot_scopes(blob);
		size_t size = blob->scopes_size, i = at;
		if (!(hotspot_unsigned5(scopes, size, layout->excludes_zero, &i,
			      &scope.sender) &&
			    hotspot_unsigned5(scopes, size,
				    layout->excludes_zero, &i, &scope.method) &&
			    hotspot_unsigned5(scopes, size,
				    layout->excludes_zero, &i, &scope.bci) &&
			    scope.method && scope.method <= blob->n_metadata))
			return false;
		memcpy(&method,
			hotspot_metadata(blob) + 8 * (size_t)(scope.method - 1),
			sizeof(method));
		if (!add_java_function(view, method, scope.bci, ret))
			return false;
	}
	return true;
}
