/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/jitrules.h"

#include <sys/stat.h>

#include "common/util/clock.h"
#include "record/sys/clocks.h"

/* Processes; each with a descriptor. */
#define PROCESSES_MAX 256u
/* How often is looked whether a process has a jitdump by now, or another. */
#define LOOK_NS NSEC_PER_SEC
/* Processes that made room are told apart by so much of their pid. */
#define GONE 256u

struct teller {
	uint32_t pid;
	struct jitcodes *codes; /* owned; NULL: it tells nothing */
	uint64_t inode;         /* of the jitdump */
	uint64_t looked;        /* when the keeper was asked */
	uint64_t known_until;   /* later samples may need what was written since */
	uint64_t asked;         /* the time of the last sample */
	uint64_t state;         /* counts what was read, of all */
};

struct jitrules {
	struct keeper *keeper;
	ARRAY(struct teller) tellers;
	ARRAY(struct jitcodes *) dropped; /* owned; some may still be in use */
	uint64_t n_states;
	uint64_t gone[GONE]; /* states, by pid */
};

struct jitrules *jitrules_create(struct keeper *keeper)
{
	struct jitrules *rules = xcalloc(1, sizeof(*rules));

	rules->keeper = keeper;
	return rules;
}

void jitrules_destroy(struct jitrules *rules)
{
	if (!rules)
		return;
	array_each(&rules->tellers, teller)
		jitcodes_destroy(teller->codes);
	array_free(&rules->tellers);
	jitrules_settle(rules);
	array_free(&rules->dropped);
	free(rules);
}

static struct teller *find(struct jitrules *rules, uint32_t pid)
{
	array_each(&rules->tellers, teller)
		if (teller->pid == pid)
			return teller;
	return NULL;
}

void jitrules_settle(struct jitrules *rules)
{
	array_each(&rules->dropped, codes)
		jitcodes_destroy(*codes);
	rules->dropped.n = 0;
}

static void drop(struct jitrules *rules, struct teller *teller)
{
	if (teller->codes)
		*array_push(&rules->dropped) = take_pointer(teller->codes);
}

static void count_state(struct jitrules *rules, struct teller *teller)
{
	teller->state = ++rules->n_states;
}

static void replace(struct jitrules *rules, struct teller *teller, int fd,
	uint64_t inode)
{
	drop(rules, teller);
	teller->codes = jitcodes_create(fd);
	teller->inode = inode;
	teller->known_until = 0;
	count_state(rules, teller);
}

/* A process that executes another program has another jitdump. */
static void look(struct jitrules *rules, struct teller *teller, uint64_t now)
{
	struct stat file;
	int fd;

	if (teller->looked && now < teller->looked + LOOK_NS)
		return;
	teller->looked = now;
	fd = keeper_lend_dump(rules->keeper, teller->pid);
	if (fd < 0)
		return;
	if (fstat(fd, &file) == 0 && file.st_ino != teller->inode)
		replace(rules, teller, fd, file.st_ino);
	else
		close(fd);
}

static void read_on(
	struct jitrules *rules, struct teller *teller, uint64_t time)
{
	const struct jitdump_clock clock = clocks_of_jitdumps();
	uint64_t now = clocks_now();

	if (!teller->codes || time <= teller->known_until)
		return;
	if (jitcodes_update(teller->codes, &clock))
		count_state(rules, teller);
	teller->known_until = now;
}

static void see(struct jitrules *rules, struct teller *teller, uint64_t time)
{
	teller->asked = MAX(teller->asked, time);
	look(rules, teller, clock_now_ns());
	read_on(rules, teller, time);
}

uint64_t jitrules_state(struct jitrules *rules, uint32_t pid, uint64_t time)
{
	struct teller *teller = find(rules, pid);

	if (!teller)
		return rules->gone[pid % GONE];
	see(rules, teller, time);
	return teller->codes ? teller->state * JITCODES_MAX * 2 +
					jitcodes_count(teller->codes, time)
			     : teller->state;
}

/* The one that nobody has asked for longest makes room. */
static struct teller *add(struct jitrules *rules, uint32_t pid)
{
	struct teller *oldest = rules->tellers.at;

	if (rules->tellers.n < PROCESSES_MAX) {
		oldest = array_push(&rules->tellers);
	} else {
		array_each(&rules->tellers, teller)
			if (teller->asked < oldest->asked)
				oldest = teller;
		drop(rules, oldest);
		rules->gone[oldest->pid % GONE] = ++rules->n_states;
	}
	*oldest = (struct teller){ .pid = pid };
	count_state(rules, oldest);
	return oldest;
}

struct jitrules_part jitrules_find(struct jitrules *rules, uint32_t pid,
	uint64_t address, uint64_t time)
{
	struct jitrules_part ret = { 0, UINT64_MAX, NULL };
	struct teller *teller = find(rules, pid);
	struct jitcodes_part part;

	if (!teller) {
		teller = add(rules, pid);
		see(rules, teller, time);
	}
	if (!teller->codes)
		return ret;
	part = jitcodes_find(teller->codes, address, time);
	ret.start = part.start;
	ret.end = part.end;
	if (part.code)
		ret.cfi = jitcodes_rules(teller->codes, part.code);
	return ret;
}
