/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/output_files.h"

#include <errno.h>
#include <time.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/stream/finish.h"
#include "record/stream/sideband_snapshot.h"

/* Files that are closed in the same hundredth of a second get later ones. */
#define NAME_TRIES 1000u

struct files {
	struct files_setup setup;
	struct part part;
	bool is_asked;        /* atomic: the next one hasn't begun yet */
	struct loss *asked;   /* as the kernel had counted then */
	struct loss *before;  /* of all files that are closed */
	struct loss *account; /* of the file that is being closed */
	size_t n_losses;      /* of each of the three */
	/* Samples of the recorder itself, with cut and with no copies. */
	struct files_counts {
		uint64_t own, cut, bare;
	} counts, counts_before;
	struct stacks stacks; /* of the files that are closed */
	uint64_t size;        /* of the files that are closed */
	size_t n;
	ARRAY(char *) kept;   /* their names, the oldest one first */
};

struct error *files_create(const struct files_setup *setup, struct files **ret)
{
	struct files *files = xcalloc(1, sizeof(*files));
	size_t n;

	files->setup = *setup;
	losses_all(setup->losses, &n);
	files->n_losses = n;
	files->asked = xcalloc(n, sizeof(*files->asked));
	files->before = xcalloc(n, sizeof(*files->before));
	files->account = xcalloc(n, sizeof(*files->account));
	*ret = files;
	return part_begin(&files->part, setup->path, setup->head);
}

void files_destroy(struct files *files)
{
	if (!files)
		return;
	part_deinit(&files->part);
	array_each(&files->kept, name)
		free(*name);
	array_free(&files->kept);
	free(files->asked);
	free(files->before);
	free(files->account);
	free(files);
}

struct part *files_part(struct files *files)
{
	return &files->part;
}

const char *files_name(const struct files *files)
{
	return output_name(&files->part.output);
}

bool files_is_asked(const struct files *files)
{
	return __atomic_load_n(&files->is_asked, __ATOMIC_ACQUIRE);
}

void files_ask(struct files *files)
{
	const struct loss *now;
	size_t n;

	if (files_is_asked(files))
		return;
	now = losses_all(files->setup.losses, &n);
	memcpy(files->asked, now, n * sizeof(*now));
	__atomic_store_n(&files->is_asked, true, __ATOMIC_RELEASE);
	drain_turn(files->setup.drain);
}

/* What the file that ends has of NOW and COUNTS, which go from the first on. */
static void settle(struct files *files, const struct loss *now,
	const struct counts *counts)
{
	const struct files_counts sum = { counts->own, counts->cut,
		counts->bare };
	const struct files_counts *before = &files->counts_before;

	size_t i;

	for (i = 0; i < files->n_losses; i++) {
		files->account[i] = now[i];
		loss_subtract(&files->account[i], &files->before[i]);
		files->before[i] = now[i];
	}
	files->counts = (struct files_counts){ sum.own - before->own,
		sum.cut - before->cut, sum.bare - before->bare };
	files->counts_before = sum;
}

static struct error *keep_under(
	struct files *files, const struct timespec *t, unsigned hundredths)
{
	char stamp[32], *name;
	struct error *err;
	struct tm when;

	localtime_r(&t->tv_sec, &when);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &when);
	name = xasprintf("%s.%s%02u", files->setup.path, stamp, hundredths);
	err = output_rename(&files->part.output, name);
	if (err)
		free(name);
	else
		*array_push(&files->kept) = name;
	return err;
}

/* "dwell.data.2026112119103570": the time when it was closed. */
static struct error *stamp(struct files *files)
{
	struct error *err = NULL;
	struct timespec t;
	unsigned i;

	clock_gettime(CLOCK_REALTIME, &t);
	for (i = 0; i < NAME_TRIES; i++) {
		unsigned hundredths = (unsigned)(t.tv_nsec / 10000000);

		error_free(err);
		err = keep_under(files, &t, hundredths);
		if (!err || err->errnum != EEXIST)
			return err;
		t.tv_nsec += 10000000;
		if (t.tv_nsec >= (long)NSEC_PER_SEC) {
			t.tv_nsec -= (long)NSEC_PER_SEC;
			t.tv_sec++;
		}
	}
	return err;
}

static void remove_oldest(struct files *files)
{
	char *name;

	if (!files->setup.wish->n_max ||
		files->kept.n <= files->setup.wish->n_max)
		return;
	name = files->kept.at[0];
	files->kept.n--;
	memmove(files->kept.at, files->kept.at + 1,
		files->kept.n * sizeof(*files->kept.at));
	if (unlink(name) < 0)
		log_note("%s can't be removed", name);
	free(name);
}

static struct error *close_file(struct files *files, const char *reason)
{
	const struct files_setup *setup = &files->setup;
	struct stacks stacks = setup->batch ? batch_stacks(setup->batch)
					    : (struct stacks){ 0 };
	struct finish finish = {
		.part = &files->part,
		.hits = setup->hits,
		.losses = files->account,
		.n_losses = files->n_losses,
		.own_samples = files->counts.own,
		.cut_stacks = files->counts.cut,
		.bare_stacks = files->counts.bare,
		.stacks = setup->batch ? &stacks : NULL,
		.queue = setup->queue,
		.keeper = setup->keeper,
		.kallsyms = setup->kallsyms,
		.head = setup->head,
		.reason = reason,
	};
	struct error *err, *later;

	keeper_hold(setup->keeper);
	err = finish_file(&finish);
	keeper_release(setup->keeper);
	stacks_add(&files->stacks, &stacks);
	files->size += writer_size(files->part.writer);
	files->n++;
	later = part_end(&files->part);
	if (!err && !later && setup->wish->is_stamped) {
		later = stamp(files);
		remove_oldest(files);
	}
	/* The first one is what the user has to know. */
	if (err)
		error_free(later);
	return err ? err : later;
}

struct error *files_turn(void *data, struct strbuf *state_ret)
{
	struct files *files = data;
	const struct counts *counts = intake_turned(files->setup.intake);
	struct error *err;

	losses_recount(files->setup.losses, counts, files->asked);
	settle(files, files->asked, counts);
	err = close_file(files, "next file");
	if (!err) {
		state_write(files->setup.hits, state_ret);
		hits_restart(files->setup.hits);
		if (files->setup.batch)
			batch_restart(files->setup.batch);
		part_deinit(&files->part);
		err = part_begin(&files->part, files->setup.path,
			files->setup.head);
		/* Without its head it is none. */
		if (err)
			output_discard(&files->part.output);
	}
	__atomic_store_n(&files->is_asked, false, __ATOMIC_RELEASE);
	return err;
}

struct error *files_finish(struct files *files, const char *reason)
{
	size_t n;

	/* The next one couldn't be begun. */
	if (!files->part.writer)
		return NULL;
	settle(files, losses_all(files->setup.losses, &n),
		intake_counts(files->setup.intake));
	return close_file(files, reason);
}

void files_discard(struct files *files)
{
	if (files)
		output_discard(&files->part.output);
}

const struct stacks *files_stacks(const struct files *files)
{
	return &files->stacks;
}

uint64_t files_size(const struct files *files)
{
	return files->size;
}

size_t files_count(const struct files *files)
{
	return files->n;
}
