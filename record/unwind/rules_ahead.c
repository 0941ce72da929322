/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/rules_ahead.h"

#include <pthread.h>

#include "common/util/alloc.h"

/* Limit of waiting mappings; the rules of others are read when needed. */
#define WAITING_MAX 1024u

/* A mapping of a file that was not mapped before. */
struct waiting {
	struct record_mmap map;
	char *path; /* owned; map.path */
};

struct rules_ahead {
	struct rules *rules;
	struct file_tracker *tracker;
	pthread_t thread;
	pthread_mutex_t lock; /* guards the following members */
	pthread_cond_t news;
	bool is_over;
	ARRAY(struct waiting) waiting;
	struct hash_index seen; /* hashes of files */
};

static void take_mapping(void *data, const struct record_mmap *map)
{
	uint64_t hash = hash_words(hash_string(map->path), map->inode);
	struct rules_ahead *ahead = data;
	struct waiting *added;
	bool is_new = true;

	pthread_mutex_lock(&ahead->lock);
	hash_each_match(&ahead->seen, hash, i) {
		(void)i;
		is_new = false;
	}
	if (is_new && ahead->waiting.n < WAITING_MAX) {
		hash_insert(&ahead->seen, hash, 0);
		added = array_push(&ahead->waiting);
		added->map = *map;
		added->map.path = added->path = xstrdup(map->path);
		pthread_cond_signal(&ahead->news);
	}
	pthread_mutex_unlock(&ahead->lock);
}

/* Waits for a mapping. Returns false if there will be none. */
static bool next_mapping(struct rules_ahead *ahead, struct waiting *ret)
{
	bool is_over;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->is_over && !ahead->waiting.n)
		pthread_cond_wait(&ahead->news, &ahead->lock);
	is_over = ahead->is_over;
	if (!is_over) {
		*ret = ahead->waiting.at[0];
		memmove(ahead->waiting.at, ahead->waiting.at + 1,
			--ahead->waiting.n * sizeof(*ret));
	}
	pthread_mutex_unlock(&ahead->lock);
	return !is_over;
}

static void *run_ahead(void *data)
{
	struct rules_ahead *ahead = data;
	struct waiting waiting;

	while (next_mapping(ahead, &waiting)) {
		rules_prepare(ahead->rules, &waiting.map);
		free(waiting.path);
	}
	return NULL;
}

static void free_ahead(struct rules_ahead *ahead)
{
	array_each(&ahead->waiting, waiting)
		free(waiting->path);
	array_free(&ahead->waiting);
	hash_free(&ahead->seen);
	pthread_cond_destroy(&ahead->news);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}

struct rules_ahead *rules_ahead_create(
	struct rules *rules, struct file_tracker *tracker)
{
	struct rules_ahead *ahead = xcalloc(1, sizeof(*ahead));

	ahead->rules = rules;
	ahead->tracker = tracker;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->news, NULL);
	if (pthread_create(&ahead->thread, NULL, run_ahead, ahead)) {
		free_ahead(ahead);
		return NULL;
	}
	file_tracker_on_mapping(tracker, take_mapping, ahead);
	return ahead;
}

void rules_ahead_destroy(struct rules_ahead *ahead)
{
	if (!ahead)
		return;
	file_tracker_on_mapping(ahead->tracker, NULL, NULL);
	pthread_mutex_lock(&ahead->lock);
	ahead->is_over = true;
	pthread_cond_signal(&ahead->news);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	free_ahead(ahead);
}
