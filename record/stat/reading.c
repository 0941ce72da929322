/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/reading.h"

static void add_saturating(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

void reading_add(struct reading *sum, const struct reading *more)
{
	add_saturating(&sum->value, more->value);
	add_saturating(&sum->enabled, more->enabled);
	add_saturating(&sum->running, more->running);
}

static uint64_t increase(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

struct reading reading_since(
	const struct reading *now, const struct reading *before)
{
	return (struct reading){
		.value = increase(now->value, before->value),
		.enabled = increase(now->enabled, before->enabled),
		.running = increase(now->running, before->running),
	};
}

bool reading_is_counted(const struct reading *reading)
{
	return reading->running;
}

double reading_estimate(const struct reading *reading)
{
	if (!reading->running)
		return 0;
	if (reading->running >= reading->enabled)
		return (double)reading->value;
	return (double)reading->value * (double)reading->enabled /
		(double)reading->running;
}

void reading_take(const uint64_t *words, size_t n_words, struct reading *ret)
{
	if (n_words < READING_HEAD_WORDS)
		return;
	*ret = (struct reading){ words[0], words[1], words[2] };
}

void reading_take_member(const uint64_t *words, size_t n_words, size_t member,
	struct reading *ret)
{
	if (n_words < READING_HEAD_WORDS ||
		member >= n_words - READING_HEAD_WORDS || member >= words[0])
		return;
	*ret = (struct reading){ words[READING_HEAD_WORDS + member], words[1],
		words[2] };
}
