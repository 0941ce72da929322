/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/sample_filter.h"

#include <ctype.h>
#include <regex.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "record/sys/tasks.h"
#include "record/sys/users.h"

/* linux/threads.h, PID_MAX_LIMIT of 64-bit machines: all ids are below. */
#define IDS_MAX (4u * 1024 * 1024)

#define IDLE_NAME "swapper" /* as perf calls task 0 */
#define NOBODY UINT32_MAX   /* setreuid(2): -1 is no user's number */

enum key { KEY_PID, KEY_TID, KEY_UID, KEY_COMM };

static const char *const keys[] = {
	[KEY_PID] = "pid",
	[KEY_TID] = "tid",
	[KEY_UID] = "uid",
	[KEY_COMM] = "comm",
};

struct term {
	enum key key;
	bool is_negated;
	ARRAY(uint32_t) values;
	regex_t regex; /* of KEY_COMM */
};

/* What is known of a thread or, as to users, of a process. */
enum state {
	STATE_COMM_HOLDS = 1,
	STATE_USER_HOLDS = 2,
	STATE_USER_READ = 4,
	STATE_COMM_HELD = 16, /* before that name */
	STATE_NAMED = 8,      /* by a record of its own */
};

struct sieve {
	ARRAY(struct term) terms;
	bool has_comm, has_user;
	/* By id. Only the pages of ids that exist are ever touched. */
	uint8_t *states;
	uint64_t *named; /* when a thread got its name */
	uint64_t n_left_out;
};

static struct error *parse_values(const char *text, struct term *term)
{
	const char *at = text;
	char *end;

	for (;;) {
		unsigned long value = 0;

		end = NULL;
		if (isdigit((unsigned char)*at))
			value = strtoul(at, &end, 10);
		if (!end || value > UINT32_MAX || (*end && *end != ','))
			return error_usage("--record-filter: '%s' is no list "
					   "of numbers such as 12,345",
				text);
		*array_push(&term->values) = (uint32_t)value;
		if (!*end)
			return NULL;
		at = end + 1;
	}
}

static struct error *parse_users(const char *text, struct term *term)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *user;
	struct error *err = NULL;

	while (!err && (user = strsep(&rest, ",")))
		err = users_parse("--record-filter", user,
			array_push(&term->values));
	return err;
}

static struct error *parse_regex(const char *text, struct term *term)
{
	int code = regcomp(&term->regex, text, REG_EXTENDED | REG_NOSUB);
	char why[128];

	if (!code)
		return NULL;
	regerror(code, &term->regex, why, sizeof(why));
	/* Nothing is there to be freed then. */
	term->key = KEY_PID;
	return error_usage("--record-filter: '%s': %s", text, why);
}

static struct error *parse_term(const char *text, struct term *term)
{
	size_t i, n = strcspn(text, "!=");
	const char *value = text + n;

	term->is_negated = *value == '!';
	value += term->is_negated;
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (strlen(keys[i]) == n && strncmp(keys[i], text, n) == 0)
			break;
	if (i == ARRAY_SIZE(keys) || *value != '=')
		return error_usage(
			"--record-filter: '%s' is not understood; it can be "
			"pid=1,2 tid=1,2 uid=1000,root comm=REGEX, or != for "
			"not",
			text);
	term->key = (enum key)i;
	if (term->key == KEY_UID)
		return parse_users(value + 1, term);
	return term->key == KEY_COMM ? parse_regex(value + 1, term)
				     : parse_values(value + 1, term);
}

void sieve_destroy(struct sieve *sieve)
{
	if (!sieve)
		return;
	array_each (&sieve->terms, term) {
		array_free(&term->values);
		if (term->key == KEY_COMM)
			regfree(&term->regex);
	}
	array_free(&sieve->terms);
	free(sieve->states);
	free(sieve->named);
	free(sieve);
}

static bool has_value(const struct term *term, uint32_t value)
{
	array_each (&term->values, each)
		if (*each == value)
			return true;
	return false;
}

static bool comm_holds(const struct sieve *sieve, const char *comm)
{
	array_each (&sieve->terms, term)
		if (term->key == KEY_COMM &&
			(regexec(&term->regex, comm, 0, NULL, 0) == 0) ==
				term->is_negated)
			return false;
	return true;
}

static bool user_holds(const struct sieve *sieve, uint32_t user)
{
	array_each (&sieve->terms, term)
		if (term->key == KEY_UID &&
			has_value(term, user) == term->is_negated)
			return false;
	return true;
}

static uint32_t index_of(uint32_t id)
{
	/* Ids of other pid namespaces come as -1; all share one. */
	return MIN(id, IDS_MAX);
}

static uint8_t *state_of(struct sieve *sieve, uint32_t id)
{
	return &sieve->states[index_of(id)];
}

static void set(uint8_t *state, uint8_t bit, bool is_on)
{
	*state = (uint8_t)(is_on ? *state | bit : *state & ~bit);
}

/* What a CPU does that has nothing to do: no record and no file tell of it. */
static void know_idle(struct sieve *sieve)
{
	uint8_t *idle = state_of(sieve, 0);
	bool holds = comm_holds(sieve, IDLE_NAME);

	*idle = STATE_NAMED | STATE_USER_READ;
	set(idle, STATE_COMM_HOLDS, holds);
	set(idle, STATE_COMM_HELD, holds);
	set(idle, STATE_USER_HOLDS, user_holds(sieve, NOBODY));
}

struct error *sieve_create(
	const char *const *terms, size_t n, struct sieve **ret)
{
	struct error *err = NULL;
	struct sieve *sieve;
	size_t i;

	*ret = NULL;
	if (!n)
		return NULL;
	*ret = sieve = xcalloc(1, sizeof(*sieve));
	sieve->states = xcalloc(IDS_MAX + 1, 1);
	sieve->named = xcalloc(IDS_MAX + 1, sizeof(*sieve->named));
	for (i = 0; i < n && !err; i++) {
		struct term *term = array_push(&sieve->terms);

		err = parse_term(terms[i], term);
		sieve->has_comm |= term->key == KEY_COMM;
		sieve->has_user |= term->key == KEY_UID;
	}
	if (!err)
		know_idle(sieve);
	return err;
}

/* Its samples until TIME come after this: they had the name before. */
static void see_comm(
	struct sieve *sieve, const struct record *record, uint64_t time)
{
	struct record_comm comm;
	uint8_t *state;

	if (!record_read_comm(record, &comm))
		return;
	state = state_of(sieve, comm.tid);
	set(state, STATE_NAMED, true);
	if (sieve->has_comm) {
		set(state, STATE_COMM_HELD, *state & STATE_COMM_HOLDS);
		set(state, STATE_COMM_HOLDS, comm_holds(sieve, comm.comm));
		sieve->named[index_of(comm.tid)] = time;
	}
	/* A program may be set-uid. */
	if (comm.is_exec)
		set(state_of(sieve, comm.pid), STATE_USER_READ, false);
}

static bool had_name(struct sieve *sieve, uint32_t tid, uint64_t time)
{
	bool is_before = time < sieve->named[index_of(tid)];

	return *state_of(sieve, tid) &
		(is_before ? STATE_COMM_HELD : STATE_COMM_HOLDS);
}

/*
 * A FORK stands in the ring of the parent's CPU: what the child has told of
 * itself on another one may have been read before.
 */
static void see_fork(struct sieve *sieve, const struct record_task *fork)
{
	uint8_t *child = state_of(sieve, fork->tid);

	set(child, *child & STATE_NAMED ? STATE_COMM_HELD : STATE_COMM_HOLDS,
		*state_of(sieve, fork->ptid) & STATE_COMM_HOLDS);
	child = state_of(sieve, fork->pid);
	/* Until /proc tells, or if it is gone by then. */
	if (fork->pid != fork->ppid && !(*child & STATE_USER_READ))
		set(child, STATE_USER_HOLDS,
			*state_of(sieve, fork->ppid) & STATE_USER_HOLDS);
}

/* It may be sampled still; but who has its id next is somebody else. */
static void see_exit(struct sieve *sieve, const struct record_task *exit)
{
	set(state_of(sieve, exit->tid), STATE_NAMED, false);
	if (exit->tid == exit->pid)
		set(state_of(sieve, exit->pid), STATE_USER_READ, false);
}

void sieve_see(struct sieve *sieve, const struct record *record, uint64_t time)
{
	struct record_task task;

	if (record->type == RECORD_COMM)
		see_comm(sieve, record, time);
	else if (record->type == RECORD_FORK && record_read_task(record, &task))
		see_fork(sieve, &task);
	else if (record->type == RECORD_EXIT && record_read_task(record, &task))
		see_exit(sieve, &task);
}

static bool is_users(struct sieve *sieve, uint32_t pid)
{
	uint8_t *state = state_of(sieve, pid);
	uint32_t user;

	if (!(*state & STATE_USER_READ)) {
		*state |= STATE_USER_READ;
		if (task_user((pid_t)pid, &user))
			set(state, STATE_USER_HOLDS, user_holds(sieve, user));
	}
	return *state & STATE_USER_HOLDS;
}

static bool ids_hold(const struct sieve *sieve, uint32_t pid, uint32_t tid)
{
	array_each (&sieve->terms, term) {
		if (term->key != KEY_PID && term->key != KEY_TID)
			continue;
		if (has_value(term, term->key == KEY_PID ? pid : tid) ==
			term->is_negated)
			return false;
	}
	return true;
}

bool sieve_keeps(struct sieve *sieve, uint32_t pid, uint32_t tid, uint64_t time)
{
	if (ids_hold(sieve, pid, tid) &&
		(!sieve->has_comm || had_name(sieve, tid, time)) &&
		(!sieve->has_user || is_users(sieve, pid)))
		return true;
	__atomic_store_n(
		&sieve->n_left_out, sieve->n_left_out + 1, __ATOMIC_RELAXED);
	return false;
}

uint64_t sieve_count(const struct sieve *sieve)
{
	return __atomic_load_n(&sieve->n_left_out, __ATOMIC_RELAXED);
}
