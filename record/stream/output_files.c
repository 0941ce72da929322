/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/output_files.h"

#include <errno.h>
#include <time.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/log.h"
#include "record/stream/finish.h"
#include "record/stream/sideband_snapshot.h"

/*
 * Number of names that are tried: files that are closed in the same hundredth
 * of a second get later times.
 */
#define NAME_TRIES 1000u

struct output_files {
	struct output_files_setup setup;
	struct output_file file;
	bool is_requested; /* atomic: a switch is requested and not done */
	/* losses at the time when a switch was requested */
	struct loss *requested;
	struct loss *closed;	     /* losses of all closed files */
	struct loss *current_losses; /* losses of the file being closed */
	size_t n_losses; /* elements of requested, closed and current_losses */
	/*
	 * Samples of the recorder itself, and samples with a cut and with an
	 * omitted stack copy: COUNTS of the file that is being closed,
	 * COUNTS_CLOSED of all closed files.
	 */
	struct file_counts {
		uint64_t own, cut, omitted;
	} counts, counts_closed;
	struct stack_counts stacks; /* unwound stacks of the closed files */
	uint64_t size;		    /* bytes of the closed files */
	size_t n;
	ARRAY(char *) names; /* names of the closed files, oldest first */
};

struct error *output_files_create(
	const struct output_files_setup *setup, struct output_files **ret)
{
	struct output_files *files = xcalloc(1, sizeof(*files));
	size_t n;

	files->setup = *setup;
	losses_all(setup->losses, &n);
	files->n_losses = n;
	files->requested = xcalloc(n, sizeof(*files->requested));
	files->closed = xcalloc(n, sizeof(*files->closed));
	files->current_losses = xcalloc(n, sizeof(*files->current_losses));
	*ret = files;
	return output_file_begin(&files->file, setup->path, setup->head);
}

void output_files_destroy(struct output_files *files)
{
	if (!files)
		return;
	output_file_deinit(&files->file);
	array_each(&files->names, name)
		free(*name);
	array_free(&files->names);
	free(files->requested);
	free(files->closed);
	free(files->current_losses);
	free(files);
}

struct output_file *output_files_current(struct output_files *files)
{
	return &files->file;
}

const char *output_files_name(const struct output_files *files)
{
	return output_name(&files->file.output);
}

bool output_files_is_switching(const struct output_files *files)
{
	return __atomic_load_n(&files->is_requested, __ATOMIC_ACQUIRE);
}

void output_files_request_switch(struct output_files *files)
{
	const struct loss *now;
	size_t n;

	if (output_files_is_switching(files))
		return;
	now = losses_all(files->setup.losses, &n);
	memcpy(files->requested, now, n * sizeof(*now));
	__atomic_store_n(&files->is_requested, true, __ATOMIC_RELEASE);
	drain_switch_file(files->setup.drain);
}

/*
 * Computes the losses and counts of the file that ends: NOW and COUNTS, which
 * are counted since the start of the recording, minus the losses and counts of
 * the closed files.
 */
static void compute_file_counts(struct output_files *files,
	const struct loss *now, const struct recorded_counts *counts)
{
	const struct file_counts sum = { counts->own, counts->cut,
		counts->bare };
	const struct file_counts *closed = &files->counts_closed;

	size_t i;

	for (i = 0; i < files->n_losses; i++) {
		files->current_losses[i] = now[i];
		loss_subtract(&files->current_losses[i], &files->closed[i]);
		files->closed[i] = now[i];
	}
	files->counts = (struct file_counts){ sum.own - closed->own,
		sum.cut - closed->cut, sum.omitted - closed->omitted };
	files->counts_closed = sum;
}

/* Appends the time of closing to the name: "dwell.data.2026112119103570". */
static struct error *append_time_to_name(struct output_files *files)
{
	struct error *err = NULL;
	struct timespec t;
	unsigned i;

	clock_gettime(CLOCK_REALTIME, &t);
	for (i = 0; i < NAME_TRIES; i++) {
		unsigned hundredths = (unsigned)(t.tv_nsec / 10000000);

		error_free(err);
		char stamp[32], *name;
		struct tm when;

		localtime_r(&t.tv_sec, &when);
		strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &when);
		name = xasprintf(
			"%s.%s%02u", files->setup.path, stamp, hundredths);
		err = output_rename(&files->file.output, name);
		if (err)
			free(name);
		else
			*array_push(&files->names) = name;
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

/*
 * Closes the current file. COUNTS are the counts of the whole recording until
 * now.
 */
static struct error *close_current_file(struct output_files *files,
	const char *reason, const struct recorded_counts *counts)
{
	const struct output_files_setup *setup = &files->setup;
	struct stack_counts stacks = setup->batch ? batch_stacks(setup->batch)
						  : (struct stack_counts){ 0 };
	struct finish finish = {
		.file = &files->file,
		.sampled = setup->sampled,
		.losses = files->current_losses,
		.n_losses = files->n_losses,
		.unsampled_time = setup->unsampled_time,
		.counts = counts,
		.own_samples = files->counts.own,
		.shortened_stacks = files->counts.cut,
		.omitted_stacks = files->counts.omitted,
		.stacks = setup->batch ? &stacks : NULL,
		.queue = setup->queue,
		.tracker = setup->tracker,
		.runtimes = setup->runtimes,
		.kallsyms = setup->kallsyms,
		.head = setup->head,
		.reason = reason,
	};
	struct error *err, *later;

	file_tracker_pause(setup->tracker);
	err = finish_file(&finish);
	file_tracker_resume(setup->tracker);
	stack_counts_add(&files->stacks, &stacks);
	files->size += writer_size(files->file.writer);
	files->n++;
	/* The name changes while the file is locked against other recorders. */
	if (!err && setup->rotation->is_stamped) {
		err = append_time_to_name(files);
		char *name;

		if (files->setup.rotation->n_max &&
			files->names.n > files->setup.rotation->n_max) {
			name = files->names.at[0];
			files->names.n--;
			memmove(files->names.at, files->names.at + 1,
				files->names.n * sizeof(*files->names.at));
			if (unlink(name) < 0)
				log_note("cannot remove %s", name);
			free(name);
		}
	}
	later = output_file_end(&files->file);
	/* Return the first error, ERR, which is the cause of LATER. */
	if (err)
		error_free(later);
	return err ? err : later;
}

struct error *output_files_switch(void *data, struct strbuf *state_ret)
{
	struct output_files *files = data;
	const struct recorded_counts *counts =
		intake_counts_at_switch(files->setup.intake);
	struct error *err;

	losses_recount(files->setup.losses, counts, files->requested);
	compute_file_counts(files, files->requested, counts);
	err = close_current_file(files, "next file", counts);
	if (!err) {
		sideband_snapshot_write(files->setup.sampled, state_ret);
		sampled_code_restart(files->setup.sampled);
		if (files->setup.batch)
			batch_restart(files->setup.batch);
		output_file_deinit(&files->file);
		err = output_file_begin(
			&files->file, files->setup.path, files->setup.head);
		/*
		 * Remove a file whose header could not be written: it is not a
		 * recording.
		 */
		if (err)
			output_discard(&files->file.output);
	}
	__atomic_store_n(&files->is_requested, false, __ATOMIC_RELEASE);
	return err;
}

struct error *output_files_finish(
	struct output_files *files, const char *reason)
{
	const struct recorded_counts *counts =
		intake_counts(files->setup.intake);
	size_t n;

	unsampled_time_read(files->setup.unsampled_time, clock_now_ns());
	/* No file is open if the next file could not be created. */
	if (!files->file.writer)
		return NULL;
	compute_file_counts(files, losses_all(files->setup.losses, &n), counts);
	return close_current_file(files, reason, counts);
}

void output_files_discard(struct output_files *files)
{
	if (files)
		output_discard(&files->file.output);
}

const struct stack_counts *output_files_stacks(const struct output_files *files)
{
	return &files->stacks;
}

uint64_t output_files_size(const struct output_files *files)
{
	return files->size;
}

size_t output_files_count(const struct output_files *files)
{
	return files->n;
}
