/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/damages.h"

#include <pthread.h>

#include "common/util/array.h"

struct damages {
	pthread_mutex_t lock;
	ARRAY(struct damage_place) at; /* sorted by .offset; .what is owned */
	size_t first;	   /* index in .at of the place that was added first */
	size_t n_left_out; /* damaged places beyond DAMAGES_MAX */
	size_t n_taken;
};

struct damages *damages_create(void)
{
	struct damages *damages = xcalloc(1, sizeof(*damages));

	pthread_mutex_init(&damages->lock, NULL);
	return damages;
}

void damages_destroy(struct damages *damages)
{
	if (!damages)
		return;
	array_each(&damages->at, place)
		free((char *)place->what);
	array_free(&damages->at);
	pthread_mutex_destroy(&damages->lock);
	free(damages);
}

static size_t count_places_before(
	const struct damages *damages, uint64_t offset)
{
	return array_count_before(&damages->at, place, place->offset < offset);
}

static void insert_damage(
	struct damages *damages, size_t i, const struct damage_place *like)
{
	if (damages->at.n == DAMAGES_MAX) {
		damages->n_left_out++;
		return;
	}
	array_push(&damages->at);
	memmove(&damages->at.at[i + 1], &damages->at.at[i],
		(damages->at.n - 1 - i) * sizeof(*like));
	damages->at.at[i] = *like;
	damages->at.at[i].what = xstrdup(like->what);
	if (damages->at.n > 1 && i <= damages->first)
		damages->first++;
}

void damages_add(struct damages *damages, const struct damage_place *like)
{
	size_t i;

	pthread_mutex_lock(&damages->lock);
	i = count_places_before(damages, like->offset);
	if (i == damages->at.n || damages->at.at[i].offset != like->offset) {
		insert_damage(damages, i, like);
	} else if (damages->at.at[i].samples < like->samples) {
		damages->at.at[i].samples = like->samples;
		damages->at.at[i].first_time = like->first_time;
		damages->at.at[i].last_time = like->last_time;
	}
	pthread_mutex_unlock(&damages->lock);
}

/* Sets RET to place I; the caller holds the lock. */
static bool copy_place(
	const struct damages *damages, size_t i, struct damage_place *ret)
{
	if (i >= damages->at.n)
		return false;
	*ret = damages->at.at[i];
	return true;
}

bool damages_at(struct damages *damages, size_t i, struct damage_place *ret)
{
	bool is_there;

	pthread_mutex_lock(&damages->lock);
	is_there = copy_place(damages, i, ret);
	pthread_mutex_unlock(&damages->lock);
	return is_there;
}

bool damages_first(struct damages *damages, struct damage_place *ret)
{
	bool is_there;

	pthread_mutex_lock(&damages->lock);
	is_there = copy_place(damages, damages->first, ret);
	pthread_mutex_unlock(&damages->lock);
	return is_there;
}

bool damages_has(struct damages *damages, uint64_t offset)
{
	size_t i;
	bool has;

	pthread_mutex_lock(&damages->lock);
	i = count_places_before(damages, offset);
	has = i < damages->at.n && damages->at.at[i].offset == offset;
	pthread_mutex_unlock(&damages->lock);
	return has;
}

size_t damages_take(struct damages *damages, struct damage_place *ret)
{
	size_t n = 0;

	pthread_mutex_lock(&damages->lock);
	array_each(&damages->at, place) {
		if (place->is_taken)
			continue;
		place->is_taken = true;
		*ret = *place;
		n = ++damages->n_taken;
		break;
	}
	pthread_mutex_unlock(&damages->lock);
	return n;
}

struct damages_sums damages_sums(struct damages *damages)
{
	struct damages_sums sums = { 0 };

	pthread_mutex_lock(&damages->lock);
	sums.places = damages->n_left_out;
	array_each(&damages->at, place) {
		sums.places += !place->is_end;
		sums.samples += place->samples;
		if (!place->last_time)
			continue;
		if (!sums.last_time || place->first_time < sums.first_time)
			sums.first_time = place->first_time;
		sums.last_time = MAX(sums.last_time, place->last_time);
	}
	pthread_mutex_unlock(&damages->lock);
	return sums;
}
