/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/pinned_files.h"

#include "record/synth/mapped_file.h"

/* Attempts to open a file, which other processes can map again later. */
#define ATTEMPTS_MAX 4u
#define FILES_MAX 100000u

struct pinned_attempt {
	char *path; /* owned */
	struct build_id build_id;
	uint32_t major, minor;
	uint64_t inode, generation;
	struct pinned_file held;
	bool is_at_path;
	unsigned attempts_left; /* 0 after the file was held */
};

struct pinned_files {
	struct timed_worker *worker;
	size_t n_max, n_held;
	ARRAY(struct pinned_attempt)
	files; /* ordered by first mapping of the file */
	struct hash_index by_file;
	size_t oldest[2]; /* [0]: no earlier file is held; [1]: no earlier held
			     file exists at its path */
};

struct pinned_files *pinned_files_create(
	struct timed_worker *worker, size_t n_max)
{
	struct pinned_files *pins = xcalloc(1, sizeof(*pins));

	pins->worker = worker;
	pins->n_max = n_max;
	return pins;
}

void pinned_files_destroy(struct pinned_files *pins)
{
	if (!pins)
		return;
	array_each(&pins->files, pin) {
		if (pin->held.fd >= 0)
			close(pin->held.fd);
		free(pin->path);
	}
	array_free(&pins->files);
	hash_free(&pins->by_file);
	free(pins);
}

static struct pinned_attempt *find_pin(
	const struct pinned_files *pins, const struct pinned_attempt *wanted)
{
	uint64_t hash = hash_words(hash_string(wanted->path), wanted->inode);

	hash_each_match(&pins->by_file, hash, i) {
		struct pinned_attempt *pin = &pins->files.at[i];

		if (pin->inode == wanted->inode &&
			pin->generation == wanted->generation &&
			pin->major == wanted->major &&
			pin->minor == wanted->minor &&
			build_id_equal(&pin->build_id, &wanted->build_id) &&
			string_is(pin->path, wanted->path))
			return pin;
	}
	return NULL;
}

static struct pinned_attempt *add_pin(
	struct pinned_files *pins, const struct pinned_attempt *new)
{
	uint64_t hash = hash_words(hash_string(new->path), new->inode);
	struct pinned_attempt *pin;

	if (pins->files.n >= FILES_MAX)
		return NULL;
	hash_insert(&pins->by_file, hash, (uint32_t)pins->files.n);
	pin = array_push(&pins->files);
	*pin = *new;
	pin->path = xstrdup(new->path);
	return pin;
}

static void release_pin(struct pinned_files *pins, struct pinned_attempt *pin)
{
	close(pin->held.fd);
	pin->held.fd = -1;
	pins->n_held--;
}

/* Closes the oldest file that can be opened again, or else the oldest file. */
static void release_oldest_pin(struct pinned_files *pins)
{
	size_t *at = pins->oldest;
	struct pinned_attempt *files = pins->files.at;

	while (at[1] < pins->files.n &&
		(files[at[1]].held.fd < 0 || !files[at[1]].is_at_path))
		at[1]++;
	while (at[0] < pins->files.n && files[at[0]].held.fd < 0)
		at[0]++;
	if (at[1] < pins->files.n)
		release_pin(pins, &files[at[1]]);
	else if (at[0] < pins->files.n)
		release_pin(pins, &files[at[0]]);
}

void pinned_files_add_mapping(
	struct pinned_files *pins, const struct record_mmap *map)
{
	const struct pinned_attempt wanted = {
		.path = (char *)maps_dso_path(map),
		.build_id = map->build_id,
		.major = map->major,
		.minor = map->minor,
		.inode = map->inode,
		.generation = map->generation,
		.held = { -1, 0 },
		.attempts_left = ATTEMPTS_MAX,
	};
	struct pinned_attempt *pin;

	if ((map->path[0] != '/' && !string_is(wanted.path, MAPS_VDSO32)) ||
		!pins->n_max)
		return;
	pin = find_pin(pins, &wanted);
	if (!pin)
		pin = add_pin(pins, &wanted);
	/*
	 * A held file that was closed is not held again, because another file
	 * would have to be closed instead.
	 */
	if (pin && pin->attempts_left) {
		struct mapped_job *job = mapped_find(pins->worker, map);
		pin->attempts_left--;
		if (job) {
			if (job->fd >= 0) {
				/*
				 * Holds the file that JOB has opened. PIN can
				 * be older than all held files, if opening the
				 * file failed before.
				 */
				size_t at = (size_t)(pin - pins->files.at);
				if (pins->n_held == pins->n_max)
					release_oldest_pin(pins);
				pin->held.fd = take_fd(job->fd);
				pin->held.modified_ns = job->modified_ns;
				pin->is_at_path = job->is_at_path;
				pin->attempts_left = 0;
				pins->n_held++;
				pins->oldest[0] = MIN(pins->oldest[0], at);
				pins->oldest[1] = MIN(pins->oldest[1], at);
			}
			mapped_job_destroy(job);
		}
	}
}

struct pinned_file pinned_files_find(
	const struct pinned_files *pins, const struct dso *dso)
{
	const struct pinned_attempt wanted = {
		.path = dso->path,
		.build_id = dso->build_id,
		.major = dso->major,
		.minor = dso->minor,
		.inode = dso->inode,
		.generation = dso->generation,
	};
	const struct pinned_attempt *pin = find_pin(pins, &wanted);

	return pin ? pin->held : (struct pinned_file){ -1, 0 };
}

size_t pinned_files_count(const struct pinned_files *pins)
{
	return pins->n_held;
}
