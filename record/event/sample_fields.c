/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/sample_fields.h"

#include <sys/syscall.h>
#include <sys/utsname.h>

#include "common/perf/abi.h"
#include "common/unwind/registers.h"
#include "common/util/alloc.h"
#include "common/util/spell_suggest.h"

static void set_sample_bits(
	bool is_wanted, uint64_t bits, struct perf_event_attr *attr)
{
	if (is_wanted)
		attr->sample_type |= bits;
}

void sample_fields_apply(
	const struct sample_fields *fields, struct perf_event_attr *attr)
{
	set_sample_bits(
		fields->data, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC, attr);
	set_sample_bits(fields->physical, PERF_SAMPLE_PHYS_ADDR, attr);
	set_sample_bits(fields->weights, ABI_SAMPLE_WEIGHT_STRUCT, attr);
	set_sample_bits(fields->periods, PERF_SAMPLE_PERIOD, attr);
	set_sample_bits(fields->raw, PERF_SAMPLE_RAW, attr);
	set_sample_bits(fields->data_page, ABI_SAMPLE_DATA_PAGE_SIZE, attr);
	set_sample_bits(fields->code_page, ABI_SAMPLE_CODE_PAGE_SIZE, attr);
	set_sample_bits(fields->registers_intr, PERF_SAMPLE_REGS_INTR, attr);
	set_sample_bits(fields->registers_user, PERF_SAMPLE_REGS_USER, attr);
	set_sample_bits(fields->branches, PERF_SAMPLE_BRANCH_STACK, attr);
	attr->sample_regs_intr = fields->registers_intr;
	attr->sample_regs_user = fields->registers_user;
	attr->branch_sample_type = fields->branches;
}

static struct registers own_registers(void)
{
	struct utsname name;

	uname(&name);
	return registers_of(name.machine);
}

uint64_t sample_fields_all_registers(void)
{
	struct registers registers = own_registers();

	return registers_all(&registers);
}

size_t sample_fields_stack_pointer(void)
{
	struct registers registers = own_registers();
	uint64_t pointer = registers_find(&registers, "SP", 2);

	return (size_t)__builtin_popcountll(
		registers_all(&registers) & (pointer - 1));
}

/*
 * Returns whether the kernel can sample the registers of MASK. As perf does, it
 * opens a precise event for registers of the interrupted code, which can have
 * more registers than other events.
 */
static bool can_sample_registers(uint64_t mask, enum sample_registers kind)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_REGS_INTR,
		.sample_regs_intr = mask,
		.precise_ip = 1,
		.disabled = 1,
		.exclude_kernel = 1,
	};
	_cleanup_close_ int fd = -1;

	if (kind == SAMPLE_REGISTERS_USER) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.precise_ip = 0;
		attr.sample_type = PERF_SAMPLE_REGS_USER;
		attr.sample_regs_intr = 0;
		attr.sample_regs_user = mask;
	}
	fd = (int)syscall(
		SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd >= 0;
}

/* Returns the mask of the registers that the kernel can sample. */
static uint64_t sampled_registers(
	const struct registers *registers, enum sample_registers kind)
{
	uint64_t mask = registers_all(registers);
	unsigned bit;

	for (bit = 0; bit < registers->n; bit++) {
		const char *name = registers_name(registers, bit);
		uint64_t own;

		if (!(registers->extended >> bit & 1) || mask >> bit & 1)
			continue;
		own = registers_find(registers, name, strlen(name));
		if (can_sample_registers(own, kind))
			mask |= own;
	}
	return mask;
}

/*
 * Appends the names of the registers in MASK to OUT, each once. The bits of a
 * wide register are adjacent.
 */
static void list_registers(
	const struct registers *registers, uint64_t mask, struct strbuf *out)
{
	const char *last = NULL;
	unsigned bit;

	for (bit = 0; bit < registers->n; bit++) {
		const char *name = registers_name(registers, bit);

		if (!(mask >> bit & 1) || (last && string_is(name, last)))
			continue;
		strbuf_printf(out, "%s%s", out->n ? " " : "", name);
		last = name;
	}
}

static const char *registers_option(enum sample_registers kind)
{
	return kind == SAMPLE_REGISTERS_USER ? "--user-regs" : "-I";
}

/* Sets RET to the registers that can be sampled; fails if there are none. */
static struct error *find_sampled_registers(const struct registers *registers,
	enum sample_registers kind, uint64_t *ret)
{
	*ret = sampled_registers(registers, kind);
	return *ret ? NULL
		    : error_usage("%s: dwell does not support the registers of "
				  "this processor",
			      registers_option(kind));
}

struct error *sample_fields_list_registers(
	enum sample_registers kind, struct strbuf *out)
{
	struct registers registers = own_registers();
	uint64_t mask;
	struct error *err = find_sampled_registers(&registers, kind, &mask);

	if (!err)
		list_registers(&registers, mask, out);
	return err;
}

void sample_fields_offer_registers(
	struct completion *completion, enum sample_registers kind)
{
	struct registers registers = own_registers();
	uint64_t mask = sampled_registers(&registers, kind);
	unsigned bit;

	completion_skip(completion, ",");
	for (bit = 0; bit < registers.n; bit++)
		if (mask >> bit & 1)
			completion_offer(completion,
				registers_name(&registers, bit), NULL);
}

struct error *sample_fields_parse_registers(
	const char *text, enum sample_registers kind, uint64_t *ret)
{
	struct registers registers = own_registers();
	struct error *err = find_sampled_registers(&registers, kind, ret);

	if (err || !text)
		return err;
	uint64_t all = *ret;
	_cleanup_strbuf_ struct strbuf names = { 0 };

	*ret = 0;
	for (;;) {
		size_t n = strcspn(text, ",");
		uint64_t mask = registers_find(&registers, text, n);

		if (!(mask & all)) {
			list_registers(&registers, all, &names);
			return error_usage(
				"%s: there is no register '%.*s'%s; use %s",
				registers_option(kind), (int)n, text,
				mask ? " here" : "", names.at);
		}
		*ret |= mask;
		if (!text[n])
			return NULL;
		text += n + 1;
	}
}

/*
 * The words of -j, as in perf, and their bits of perf_branch_sample_type
 * (linux/perf_event.h).
 */
static const struct branch_word {
	const char *name;
	uint64_t bits;
} branch_words[] = {
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "call_stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "hw_index", ABI_BRANCH_HW_INDEX },
	{ "priv", ABI_BRANCH_PRIV_SAVE },
	{ "counter", ABI_BRANCH_COUNTERS },
};

/* The bits that select kinds of branches. */
#define BRANCH_KINDS                                                          \
	(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL |               \
		PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_IND_CALL | \
		PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL |       \
		PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_CALL_STACK |     \
		PERF_SAMPLE_BRANCH_ABORT_TX | PERF_SAMPLE_BRANCH_IN_TX |      \
		PERF_SAMPLE_BRANCH_NO_TX)

COMPLETER(sample_fields_complete_branches)
{
	completion_skip(completion, ",");
	completion_offer_names(completion, branch_words);
}

struct error *sample_fields_parse_branches(const char *text, uint64_t *ret)
{
	_cleanup_free_ char *copy = xstrdup(text);
	struct spell_suggest nearest;
	char *rest = copy, *word;
	size_t i;

	*ret = 0;
	while ((word = strsep(&rest, ","))) {
		spell_suggest_init(&nearest, word);
		for (i = 0; i < ARRAY_SIZE(branch_words); i++) {
			if (string_is(branch_words[i].name, word))
				break;
			spell_suggest_offer(&nearest, branch_words[i].name);
		}
		if (i == ARRAY_SIZE(branch_words))
			return spell_suggest_hint(&nearest,
				error_usage(
					"-j: '%s' is unknown; use any, any_call, any_ret, "
					"ind_call, ind_jmp, call, cond, call_stack, u, k, "
					"hv ...",
					word));
		*ret |= branch_words[i].bits;
	}
	if (!(*ret & BRANCH_KINDS))
		*ret |= PERF_SAMPLE_BRANCH_ANY;
	return NULL;
}
