/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/cpus.h"

#include <ctype.h>
#include <sched.h>

static bool parse_cpu(const char **at, uint32_t *ret)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	value = strtoul(*at, &end, 10);
	*at = end;
	*ret = (uint32_t)value;
	return value < CPUS_MAX;
}

static int compare_cpus(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return COMPARE(*left, *right);
}

bool cpus_parse(const char *text, struct cpus *ret)
{
	const char *at = text;
	uint32_t first, last, cpu;

	memset(ret, 0, sizeof(*ret));
	for (;;) {
		if (!parse_cpu(&at, &first))
			break;
		last = first;
		if (*at == '-') {
			at++;
			if (!parse_cpu(&at, &last) || last < first)
				break;
		}
		for (cpu = first; cpu <= last; cpu++)
			*array_push(&ret->list) = cpu;
		if (*at == '\0') {
			size_t i, n = 0;

			array_sort(&ret->list, compare_cpus);
			for (i = 0; i < ret->list.n; i++)
				if (!i ||
					ret->list.at[i] != ret->list.at[i - 1])
					ret->list.at[n++] = ret->list.at[i];
			ret->list.n = n;
			return true;
		}
		if (*at++ != ',')
			break;
	}
	cpus_deinit(ret);
	return false;
}

bool cpus_has(const struct cpus *cpus, uint32_t cpu)
{
	array_each(&cpus->list, each)
		if (*each == cpu)
			return true;
	return false;
}

void cpus_deinit(struct cpus *cpus)
{
	array_free(&cpus->list);
}

size_t cpus_usable(void)
{
	cpu_set_t cpus;

	/*
	 * sched_getaffinity() fails if the kernel has more CPUs than a
	 * cpu_set_t.
	 */
	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
		return (size_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1l);
	return (size_t)CPU_COUNT(&cpus);
}
