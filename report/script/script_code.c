/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_code.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/script/script_value.h"
#include "report/util/branch_flags.h"

void script_code_deinit(struct script_code *code)
{
	size_t i;

	for (i = 0; i < SCRIPT_CODE_SHAPES; i++) {
		strbuf_free(&code->texts[i].kept);
		array_free(&code->texts[i].of);
	}
}

static void put_code_symbol(struct resolver *resolver, struct resolver_frame at,
	bool has_offset, struct strbuf *out)
{
	const struct location *location =
		resolver_location(resolver, at.location);

	if (!location->symbol) {
		strbuf_puts(out, "[unknown]");
		return;
	}
	escape_text(out, resolver_peer_name(resolver, at.location));
	if (has_offset)
		strbuf_printf(out, "+0x%" PRIx64, at.address - location->start);
}

static void put_code_dso(
	struct resolver *resolver, struct resolver_frame at, struct strbuf *out)
{
	const struct location *location =
		resolver_location(resolver, at.location);

	strbuf_putc(out, '(');
	escape_text(out, location->dso ? location->dso->path : "[unknown]");
	strbuf_putc(out, ')');
}

static void make_code_text(struct resolver *resolver, struct resolver_frame at,
	uint32_t fields, struct strbuf *out)
{
	bool is_inlined = resolver_location(resolver, at.location)->is_inlined;

	script_number_put_hex(out, at.address);
	if (script_has(fields, SCRIPT_SYM)) {
		strbuf_putc(out, ' ');
		put_code_symbol(
			resolver, at, script_has(fields, SCRIPT_SYMOFF), out);
	}
	if (script_has(fields, SCRIPT_DSO) && !is_inlined) {
		strbuf_putc(out, ' ');
		put_code_dso(resolver, at, out);
	}
	if (script_has(fields, SCRIPT_SRCLINE) &&
		resolver_location(resolver, at.location)->dso) {
		strbuf_puts(out, "\n  ");
		resolver_put_line(
			resolver, at.location, RESOLVE_LINE_BY_DSO, out);
	}
	if (is_inlined)
		strbuf_puts(out, " (inlined)");
}

/*
 * Returns the text of AT with FIELDS, and adds the text to the cache if it is
 * new. The text is borrowed until the next call.
 */
static const char *find_code_text(struct script_code *code,
	struct resolver_frame at, uint32_t fields, size_t *size_ret)
{
	struct script_texts *texts =
		&code->texts[fields >> SCRIPT_SYM & (SCRIPT_CODE_SHAPES - 1)];
	struct script_text *text;
	size_t start;

	while (texts->of.n <= at.number)
		array_push(&texts->of);
	text = &texts->of.at[at.number];
	if (!text->size || text->at < texts->dropped) {
		if (texts->kept.n > SCRIPT_CODE_KEPT_MAX) {
			texts->dropped += texts->kept.n;
			strbuf_clear(&texts->kept);
		}
		start = texts->kept.n;
		make_code_text(code->resolver, at, fields, &texts->kept);
		text->at = texts->dropped + start;
		text->size = texts->kept.n - start;
	}
	*size_ret = text->size;
	return texts->kept.at + (text->at - texts->dropped);
}

/* Appends the text of AT without its first SKIPPED bytes. */
static void put_code_location(struct script_code *code,
	struct resolver_frame at, uint32_t fields, size_t skipped,
	struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf made = { 0 };
	const char *text;
	size_t size;

	/*
	 * The cache has one text per address, so the text of an inlined
	 * function, or with a source line, is not cached.
	 */
	if (!script_has(fields, SCRIPT_SRCLINE) &&
		!resolver_location(code->resolver, at.location)->is_inlined) {
		text = find_code_text(code, at, fields, &size);
	} else {
		make_code_text(code->resolver, at, fields, &made);
		text = made.at;
		size = made.n;
	}
	strbuf_put(out, text + skipped, size - skipped);
}

void script_code_put_place(struct script_code *code, struct resolver_frame at,
	uint32_t fields, struct strbuf *out)
{
	put_code_location(code, at, fields, 0, out);
}

void script_code_put(struct script_code *code, struct resolver_frame at,
	uint32_t fields, struct strbuf *out)
{
	put_code_location(code, at, fields, SCRIPT_NUMBER_HEX_WIDTH, out);
}

struct resolver_frame script_code_find(
	struct script_code *code, uint32_t space, uint64_t address)
{
	struct frame frame = stacks_frame(space, address, MISC_USER);
	struct resolver_frame at = resolver_find(code->resolver, &frame);

	if (resolver_location(code->resolver, at.location)->dso)
		return at;
	frame = stacks_frame(space, address, MISC_KERNEL);
	return resolver_find(code->resolver, &frame);
}

/*
 * Appends ADDRESS, the source or target of a branch, in STYLE: the address
 * "0x12" (brstack), "symbol+0x12" (brstacksym), or the file offset "0x12"
 * (brstackoff). HAS_DSO adds "(dso)".
 */
static void put_branch_end(struct script_code *code, uint32_t space,
	uint64_t address, enum script_field style, bool has_dso,
	struct strbuf *out)
{
	struct resolver_frame at = script_code_find(code, space, address);

	if (style == SCRIPT_BRSTACKSYM)
		put_code_symbol(code->resolver, at, true, out);
	else
		strbuf_printf(out, "0x%" PRIx64,
			style == SCRIPT_BRSTACKOFF ? at.address : address);
	if (has_dso)
		put_code_dso(code->resolver, at, out);
}

/* --- branches ------------------------------------------------------------ */

/*
 * Names of branch types (PERF_BR_*). Type 15, PERF_BR_EXTEND_ABI, refers to the
 * new types (PERF_BR_NEW_*).
 */
static const char *const branch_types[] = { "", "COND", "UNCOND", "IND", "CALL",
	"IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL", "COND_RET", "ERET",
	"IRQ", "SERROR", "NO_TX" };
static const char *const new_branch_types[] = { "FAULT_ALGN", "FAULT_DATA",
	"FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5" };

static const char *branch_type_name(uint64_t flags)
{
	unsigned type = flags >> BRANCH_TYPE_SHIFT & 15;
	unsigned new_type = flags >> BRANCH_NEW_TYPE_SHIFT & 15;

	if (type < ARRAY_SIZE(branch_types))
		return branch_types[type];
	return new_type < ARRAY_SIZE(new_branch_types)
		? new_branch_types[new_type]
		: "";
}

void script_code_put_branches(struct script_code *code, uint32_t fields,
	const struct sample *sample, uint32_t space, struct strbuf *out)
{
	bool has_dso = script_has(fields, SCRIPT_DSO);
	enum script_field style = SCRIPT_BRSTACK;
	uint64_t i;

	while (style <= SCRIPT_BRSTACKOFF && !script_has(fields, style))
		style++;
	if (style > SCRIPT_BRSTACKOFF)
		return;
	for (i = 0; i < sample->n_branches; i++) {
		struct bytes b = bytes_of(sample->branches + 24 * i, 24, false);
		uint64_t from = bytes_u64(&b), to = bytes_u64(&b);

		if (style != SCRIPT_BRSTACKSYM)
			strbuf_putc(out, ' ');
		put_branch_end(code, space, from, style, has_dso, out);
		strbuf_putc(out, '/');
		put_branch_end(code, space, to, style, has_dso, out);
		uint64_t flags = bytes_u64(&b);
		char predicted = '-';

		if (flags & BRANCH_MISPREDICTED)
			predicted = 'M';
		else if (flags & BRANCH_PREDICTED)
			predicted = 'P';
		strbuf_printf(out, "/%c/%c/%c/%u/%s ", predicted,
			flags & BRANCH_IN_TRANSACTION ? 'X' : '-',
			flags & BRANCH_ABORT ? 'A' : '-',
			(unsigned)branch_cycles(flags),
			branch_type_name(flags));
	}
}

/* --- call chains --------------------------------------------------------- */

void script_chains_deinit(struct script_chains *chains)
{
	strbuf_free(&chains->texts);
	array_free(&chains->kept);
	hash_free(&chains->by_hash);
}

/* Appends the functions at FRAME, inlined functions first, one per line. */
static void put_chain_frame(struct script_chains *chains,
	const struct frame *frame, bool is_sampled, uint32_t fields,
	struct strbuf *out)
{
	struct resolver *resolver = chains->code->resolver;
	uint32_t numbers[LINE_DEPTH_MAX];
	size_t n = resolver_expand(resolver, frame, is_sampled, numbers), i;
	struct resolver_frame at = resolver_find(resolver, frame);

	for (i = 0; i < n; i++) {
		strbuf_putc(out, '\t');
		at.location = numbers[i];
		script_code_put_place(chains->code, at, fields, out);
		strbuf_putc(out, '\n');
	}
}

static void remember_chain_text(struct script_chains *chains, uint64_t hash,
	const char *text, size_t size)
{
	if (chains->texts.n + size > SCRIPT_CHAIN_KEPT_MAX) {
		strbuf_clear(&chains->texts);
		array_clear(&chains->kept);
		hash_free(&chains->by_hash);
	}
	hash_insert(&chains->by_hash, hash, (uint32_t)chains->kept.n);
	*array_push(&chains->kept) =
		(struct script_chain){ hash, chains->texts.n, size };
	strbuf_put(&chains->texts, text, size);
}

static const struct script_chain *find_chain_text(
	const struct script_chains *chains, uint64_t hash)
{
	hash_each_match(&chains->by_hash, hash, i)
		if (chains->kept.at[i].hash == hash)
			return &chains->kept.at[i];
	return NULL;
}

void script_chains_put(struct script_chains *chains,
	const struct sample *sample, uint32_t space, uint32_t fields,
	struct strbuf *out)
{
	size_t size = sample->n_chain * sizeof(uint64_t), before = out->n;
	uint64_t hash = hash_words(hash_bytes(sample->chain, size),
		hash_words((uint64_t)space << 8 | sample->cpumode, fields));
	const struct script_chain *known = find_chain_text(chains, hash);

	if (known) {
		strbuf_put(out, chains->texts.at + known->at, known->size);
		return;
	}
	/*
	 * Append the frames of SAMPLE's call chain, one per line. As in perf, a
	 * line starts with the file offset of the frame.
	 */
	struct stacks_walk walk = { sample->cpumode, false };
	uint64_t i, left = chains->max_frames;
	bool is_sampled = true;
	struct frame frame;

	if (stacks_chain_is_valid(sample->chain, sample->n_chain)) {
		for (i = 0; left && i < sample->n_chain; i++) {
			uint64_t entry = sample_chain_entry(sample, i);

			if (!stacks_walk(&walk, space, entry, &frame))
				continue;
			left--;
			put_chain_frame(
				chains, &frame, is_sampled, fields, out);
			is_sampled = false;
		}
	}
	if (out->n > before)
		remember_chain_text(
			chains, hash, out->at + before, out->n - before);
}
