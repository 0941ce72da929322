/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/budget.h"

#include <stdatomic.h>

void budget_set_limit(struct budget *budget, uint64_t limit)
{
	atomic_store(&budget->limit, limit);
}

bool budget_reserve(struct budget *budget, uint64_t size)
{
	uint64_t limit, reserved;

	if (!budget)
		return true;
	limit = atomic_load(&budget->limit);
	reserved = atomic_load(&budget->reserved);
	do {
		if (size > limit || reserved > limit - size)
			return false;
	} while (!atomic_compare_exchange_weak(
		&budget->reserved, &reserved, reserved + size));
	return true;
}

void budget_release(struct budget *budget, uint64_t size)
{
	uint64_t reserved;

	if (!budget)
		return;
	reserved = atomic_load(&budget->reserved);
	while (!atomic_compare_exchange_weak(
		&budget->reserved, &reserved, reserved - MIN(size, reserved)))
		;
}
