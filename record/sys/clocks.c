/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/clocks.h"

#include <stdio.h>
#include <strings.h>

#include "common/util/clock.h"

#define PREFIX "CLOCK_"

static clockid_t chosen = CLOCK_MONOTONIC;
static uint64_t chosen_ticks, chosen_ns;

static const struct {
	const char *name;
	clockid_t clock;
} names[] = {
	{ "monotonic", CLOCK_MONOTONIC },
	{ "mono", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME },
	{ "real", CLOCK_REALTIME },
	{ "boottime", CLOCK_BOOTTIME },
	{ "boot", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};

struct error *clocks_parse(const char *text, clockid_t *ret)
{
	const char *name = text;
	char number[16];
	size_t i;

	if (!strncasecmp(name, PREFIX, strlen(PREFIX)))
		name += strlen(PREFIX);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(number, sizeof(number), "%d", (int)names[i].clock);
		if (strcasecmp(name, names[i].name) && !string_is(text, number))
			continue;
		*ret = names[i].clock;
		return NULL;
	}
	return error_usage("-k: there is no clock '%s'; use monotonic, "
			   "monotonic_raw, realtime, boottime or tai",
		text);
}

COMPLETER(clocks_complete)
{
	size_t i;

	/* Of several names of a clock, the first one. */
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!i || names[i].clock != names[i - 1].clock)
			completion_offer(completion, names[i].name, NULL);
}

void clocks_choose(clockid_t clock)
{
	chosen = clock;
	chosen_ticks = jitdump_ticks_now();
	chosen_ns = clocks_now();
}

struct jitdump_clock clocks_of_jitdumps(void)
{
	return (struct jitdump_clock){
		.is_monotonic = chosen == CLOCK_MONOTONIC,
		.ticks = { { chosen_ticks, jitdump_ticks_now() },
			{ chosen_ns, clocks_now() } },
	};
}

clockid_t clocks_chosen(void)
{
	return chosen;
}

uint64_t clocks_now(void)
{
	struct timespec t;

	clock_gettime(chosen, &t);
	return clock_ns(&t);
}
