/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/sample_filter.h"

#include <ctype.h>
#include <regex.h>

#include "common/perf/sched_waking.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/pattern.h"
#include "record/sys/pid_table.h"
#include "record/sys/tasks.h"

#define IDLE_NAME "swapper" /* the name of task 0 in perf */
#define NOBODY UINT32_MAX   /* setreuid(2): -1 is not a user ID */

enum key { KEY_PID, KEY_TID, KEY_UID, KEY_COMM };

static const char *const filter_keys[] = {
	[KEY_PID] = "pid",
	[KEY_TID] = "tid",
	[KEY_UID] = "uid",
	[KEY_COMM] = "comm",
};

COMPLETER(sample_filter_complete)
{
	size_t i;

	completion->kind = "part";
	for (i = 0; i < 2 * ARRAY_SIZE(filter_keys); i++) {
		_cleanup_free_ char *term = xasprintf(
			"%s%s", filter_keys[i / 2], i % 2 ? "!=" : "=");

		completion_offer(completion, term, NULL);
	}
}

struct filter_term {
	enum key key;
	bool is_negated;
	ARRAY(uint32_t) values;
	regex_t regex; /* only for KEY_COMM */
};

/*
 * State of a thread (index TID); the STATE_USER_* bits are of a process (index
 * PID).
 */
enum state {
	STATE_NAME_MATCHES = 1,
	STATE_USER_MATCHES = 2,
	STATE_USER_READ = 4,
	STATE_NAME_MATCHED = 16, /* the name before the last COMM matches */
	STATE_NAMED = 8,	 /* a COMM record of the thread was read */
};

struct sample_filter {
	ARRAY(struct filter_term) terms;
	bool has_comm, has_user;
	PID_TABLE(uint8_t) states;
	PID_TABLE(uint64_t)
	named_at; /* time of the last COMM record of a thread */
	uint64_t n_rejected;
};

static struct error *parse_filter_ids(
	const char *text, struct filter_term *term)
{
	const char *at = text;
	char *end;

	for (;;) {
		unsigned long value = 0;

		end = NULL;
		if (isdigit((unsigned char)*at))
			value = strtoul(at, &end, 10);
		if (!end || value > UINT32_MAX || (*end && *end != ','))
			return error_usage("--record-filter: '%s' is not a "
					   "list of numbers such as 12,345",
				text);
		*array_push(&term->values) = (uint32_t)value;
		if (!*end)
			return NULL;
		at = end + 1;
	}
}

static struct error *parse_filter_regex(
	const char *text, struct filter_term *term)
{
	struct error *err =
		pattern_compile("--record-filter", text, &term->regex);

	/* The regex is not allocated after an error: prevent regfree(). */
	if (err)
		term->key = KEY_PID;
	return err;
}

static struct error *parse_filter_term(
	const char *text, struct filter_term *term)
{
	size_t i, n = strcspn(text, "!=");
	const char *value = text + n;

	term->is_negated = *value == '!';
	value += term->is_negated;
	for (i = 0; i < ARRAY_SIZE(filter_keys); i++)
		if (strlen(filter_keys[i]) == n &&
			strncmp(filter_keys[i], text, n) == 0)
			break;
	if (i == ARRAY_SIZE(filter_keys) || *value != '=')
		return error_usage("--record-filter: '%s' is not a valid term. "
				   "Use pid=1,2 tid=1,2 uid=1000,root or "
				   "comm=REGEX, or != to negate it",
			text);
	term->key = (enum key)i;
	if (term->key == KEY_UID) {
		_cleanup_free_ char *copy = xstrdup(value + 1);
		char *rest = copy, *user;
		struct error *err = NULL;

		while (!err && (user = strsep(&rest, ",")))
			err = task_users_parse("--record-filter", user,
				array_push(&term->values));
		return err;
	}
	return term->key == KEY_COMM ? parse_filter_regex(value + 1, term)
				     : parse_filter_ids(value + 1, term);
}

void sample_filter_destroy(struct sample_filter *filter)
{
	if (!filter)
		return;
	array_each(&filter->terms, term) {
		array_free(&term->values);
		if (term->key == KEY_COMM)
			regfree(&term->regex);
	}
	array_free(&filter->terms);
	pid_table_free(&filter->states);
	pid_table_free(&filter->named_at);
	free(filter);
}

static bool term_has_value(const struct filter_term *term, uint32_t value)
{
	array_each(&term->values, each)
		if (*each == value)
			return true;
	return false;
}

static bool name_matches(const struct sample_filter *filter, const char *comm)
{
	array_each(&filter->terms, term)
		if (term->key == KEY_COMM &&
			(regexec(&term->regex, comm, 0, NULL, 0) == 0) ==
				term->is_negated)
			return false;
	return true;
}

static bool user_matches(const struct sample_filter *filter, uint32_t user)
{
	array_each(&filter->terms, term)
		if (term->key == KEY_UID &&
			term_has_value(term, user) == term->is_negated)
			return false;
	return true;
}

static uint8_t *task_state(struct sample_filter *filter, uint32_t id)
{
	return pid_table_at(&filter->states, id);
}

static void set_state(uint8_t *state, uint8_t bit, bool is_on)
{
	*state = (uint8_t)(is_on ? *state | bit : *state & ~bit);
}

struct error *sample_filter_create(
	const char *const *terms, size_t n, struct sample_filter **ret)
{
	struct error *err = NULL;
	struct sample_filter *filter;
	size_t i;

	*ret = NULL;
	if (!n)
		return NULL;
	*ret = filter = xcalloc(1, sizeof(*filter));
	pid_table_init(&filter->states);
	pid_table_init(&filter->named_at);
	for (i = 0; i < n && !err; i++) {
		struct filter_term *term = array_push(&filter->terms);

		err = parse_filter_term(terms[i], term);
		filter->has_comm |= term->key == KEY_COMM;
		filter->has_user |= term->key == KEY_UID;
	}
	if (!err) {
		/*
		 * Set the state of the idle task, which has neither records nor
		 * files in /proc.
		 */
		uint8_t *idle = task_state(filter, 0);
		bool holds = name_matches(filter, IDLE_NAME);

		*idle = STATE_NAMED | STATE_USER_READ;
		set_state(idle, STATE_NAME_MATCHES, holds);
		set_state(idle, STATE_NAME_MATCHED, holds);
		set_state(
			idle, STATE_USER_MATCHES, user_matches(filter, NOBODY));
	}
	return err;
}

void sample_filter_add_record(struct sample_filter *filter,
	const struct record *record, uint64_t time)
{
	struct record_task task;

	if (record->type == RECORD_COMM) {
		/*
		 * Samples before TIME can be read later; the filter applies the
		 * previous name to them.
		 */
		struct record_comm comm;
		uint8_t *state;

		if (record_read_comm(record, &comm)) {
			state = task_state(filter, comm.tid);
			set_state(state, STATE_NAMED, true);
			if (filter->has_comm) {
				set_state(state, STATE_NAME_MATCHED,
					*state & STATE_NAME_MATCHES);
				set_state(state, STATE_NAME_MATCHES,
					name_matches(filter, comm.comm));
				*pid_table_at(&filter->named_at, comm.tid) =
					time;
			}
			/* The executed program can be set-user-ID: read the user again. */
			if (comm.is_exec)
				set_state(task_state(filter, comm.pid),
					STATE_USER_READ, false);
		}
	} else if (record->type == RECORD_FORK &&
		record_read_task(record, &task)) {
		/*
		 * Add a FORK record, with which the child gets the name and the
		 * user of the parent. The record is in the ring buffer of the
		 * parent's CPU: records of the child on another CPU can have
		 * been read before.
		 */
		uint8_t *child = task_state(filter, task.tid);

		set_state(child,
			*child & STATE_NAMED ? STATE_NAME_MATCHED
					     : STATE_NAME_MATCHES,
			*task_state(filter, task.ptid) & STATE_NAME_MATCHES);
		child = task_state(filter, task.pid);
		/*
		 * The parent's user is used until /proc is read, and if the process has
		 * ended by then.
		 */
		if (task.pid != task.ppid && !(*child & STATE_USER_READ))
			set_state(child, STATE_USER_MATCHES,
				*task_state(filter, task.ppid) &
					STATE_USER_MATCHES);
	} else if (record->type == RECORD_EXIT &&
		record_read_task(record, &task)) {
		/*
		 * Samples of the task can still follow, so
		 * the matches are kept, but the next task with this ID is
		 * another task.
		 */
		set_state(task_state(filter, task.tid), STATE_NAMED, false);
		if (task.tid == task.pid)
			set_state(task_state(filter, task.pid), STATE_USER_READ,
				false);
	}
}

static bool process_user_matches(struct sample_filter *filter, uint32_t pid)
{
	uint8_t *state = task_state(filter, pid);
	uint32_t user;

	if (!(*state & STATE_USER_READ)) {
		*state |= STATE_USER_READ;
		if (task_user((pid_t)pid, &user))
			set_state(state, STATE_USER_MATCHES,
				user_matches(filter, user));
	}
	return *state & STATE_USER_MATCHES;
}

static bool ids_match(
	const struct sample_filter *filter, uint32_t pid, uint32_t tid)
{
	array_each(&filter->terms, term) {
		if (term->key != KEY_PID && term->key != KEY_TID)
			continue;
		if (term_has_value(term, term->key == KEY_PID ? pid : tid) ==
			term->is_negated)
			return false;
	}
	return true;
}

bool sample_filter_accepts(
	struct sample_filter *filter, uint32_t pid, uint32_t tid, uint64_t time)
{
	bool is_accepted = ids_match(filter, pid, tid);

	if (is_accepted && filter->has_comm)
		/* The name at TIME can be the one before the newest. */
		is_accepted = *task_state(filter, tid) &
			(time < *pid_table_at(&filter->named_at, tid)
					? STATE_NAME_MATCHED
					: STATE_NAME_MATCHES);
	if (is_accepted &&
		(!filter->has_user || process_user_matches(filter, pid)))
		return true;
	__atomic_store_n(
		&filter->n_rejected, filter->n_rejected + 1, __ATOMIC_RELAXED);
	return false;
}

uint64_t sample_filter_n_rejected(const struct sample_filter *filter)
{
	return __atomic_load_n(&filter->n_rejected, __ATOMIC_RELAXED);
}

struct sample_filter_wakeups {
	size_t place;
	PID_TABLE(bool) has_left;
};

struct sample_filter_wakeups *sample_filter_wakeups_create(size_t place)
{
	struct sample_filter_wakeups *wakeups = xcalloc(1, sizeof(*wakeups));

	wakeups->place = place;
	pid_table_init(&wakeups->has_left);
	return wakeups;
}

void sample_filter_wakeups_destroy(struct sample_filter_wakeups *wakeups)
{
	if (!wakeups)
		return;
	pid_table_free(&wakeups->has_left);
	free(wakeups);
}

void sample_filter_wakeups_add(
	struct sample_filter_wakeups *wakeups, uint32_t tid)
{
	*pid_table_at(&wakeups->has_left, tid) = true;
}

bool sample_filter_wakeups_accepts(const struct sample_filter_wakeups *wakeups,
	const struct sample_layout *layout,
	const struct perf_event_header *waking)
{
	const struct record record = { waking->type, waking->misc, waking->size,
		(const uint8_t *)waking, false };
	struct sample sample;
	uint32_t tid;

	return sample_read(layout, &record, &sample) &&
		sched_waking_read(&sample, wakeups->place, false, &tid) &&
		*pid_table_at(&wakeups->has_left, tid);
}
