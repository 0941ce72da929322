/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as a picture without scripts. Titles, which browsers show as
 * tooltips, contain full names and percentages. The root is at the top, where
 * pictures are opened; the deepest stacks are usually narrow.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/export/export.h"
#include "report/flame/flame_result.h"
#include "report/util/export_stream.h"

#define WIDTH 1200.0
#define MARGIN 10.0
#define ROW_HEIGHT 16u
#define TITLE_HEIGHT 34u
#define MIN_FRAME_WIDTH 0.3
#define CHAR_WIDTH 6.6 /* approximate width of a character of the font, in
		        * pixels */
#define COLOURS 10u    /* colours of the hottest DSOs; colour 10 is for other
		        * DSOs, colour 11 for commands */

/* The flame graph of one event. */
struct svg_graph {
	const struct flame_result *made;
	uint32_t event;
	double whole;	/* sum of periods in the recording */
	double *totals; /* for each node: period, including its callees */
	double *x;	/* for each node: left edge, in periods */
	uint32_t *depths, deepest;
	uint64_t *samples; /* for each node: samples, including its callees */
};

struct svg_drawing {
	const struct flame *flame;
	uint32_t *colours; /* for each function: number of its CSS class */
	struct strbuf out;
	uint32_t y;
};

static void put_cut_text(struct strbuf *out, const char *text, size_t most)
{
	_cleanup_free_ char *part = NULL;
	size_t n = strlen(text);

	if (n <= most) {
		escape_xml(out, text);
		return;
	}
	/* Do not cut within a character. */
	for (n = most; n && ((uint8_t)text[n] & 0xc0) == 0x80; n--)
		;
	part = xstrndup(text, n);
	escape_xml(out, part);
	strbuf_puts(out, "..");
}

static void count_svg_graph(struct svg_graph *graph)
{
	const struct flame *flame = &graph->made->flame;
	size_t n = flame->nodes.n, i;

	graph->totals = xcalloc(n, sizeof(*graph->totals));
	graph->samples = xcalloc(n, sizeof(*graph->samples));
	graph->depths = xcalloc(n, sizeof(*graph->depths));
	graph->x = xcalloc(n, sizeof(*graph->x));
	array_each(&flame->cells, cell) {
		if (cell->event != graph->event)
			continue;
		graph->totals[cell->node] += (double)cell->period;
		graph->samples[cell->node] += cell->samples;
	}
	for (i = n; i-- > 1;) {
		uint32_t parent = flame->nodes.at[i].parent;

		graph->totals[parent] += graph->totals[i];
		graph->samples[parent] += graph->samples[i];
	}
	for (i = 1; i < n; i++)
		graph->depths[i] = graph->depths[flame->nodes.at[i].parent] + 1;
}

static void svg_graph_deinit(struct svg_graph *graph)
{
	free(graph->totals);
	free(graph->samples);
	free(graph->depths);
	free(graph->x);
}

/* --- positions ----------------------------------------------------------- */

struct flame_sibling {
	uint32_t parent, node;
	double total;
};

static int compare_siblings(const void *a, const void *b)
{
	const struct flame_sibling *left = a, *right = b;

	if (left->parent != right->parent)
		return COMPARE(left->parent, right->parent);
	if (left->total > right->total || left->total < right->total)
		return COMPARE(right->total, left->total);
	return COMPARE(left->node, right->node);
}

static double node_width(const struct svg_graph *graph, uint32_t node)
{
	return graph->totals[node] / graph->totals[0] * (WIDTH - 2 * MARGIN);
}

/*
 * Computes .x and .deepest. Siblings are sorted by the number of their parent,
 * so a parent is placed before its children.
 */
static void place_svg_nodes(struct svg_graph *graph)
{
	const struct flame *flame = &graph->made->flame;
	size_t n = flame->nodes.n, i;
	struct flame_sibling *siblings = xcalloc(n, sizeof(*siblings));
	double next = 0;

	for (i = 1; i < n; i++)
		siblings[i - 1] =
			(struct flame_sibling){ flame->nodes.at[i].parent,
				(uint32_t)i, graph->totals[i] };
	qsort(siblings, n - 1, sizeof(*siblings), compare_siblings);
	for (i = 0; i + 1 < n; i++) {
		const struct flame_sibling *at = &siblings[i];

		if (!i || at->parent != at[-1].parent)
			next = graph->x[at->parent];
		graph->x[at->node] = next;
		next += at->total;
		if (node_width(graph, at->node) >= MIN_FRAME_WIDTH)
			graph->deepest =
				MAX(graph->deepest, graph->depths[at->node]);
	}
	free(siblings);
}

/* --- colours ------------------------------------------------------------- */

struct dso_weight {
	const char *dso;
	double self;
};

static int compare_svg_dsos(const void *a, const void *b)
{
	const struct dso_weight *left = a, *right = b;

	if (left->self > right->self || left->self < right->self)
		return COMPARE(right->self, left->self);
	return strcmp(left->dso, right->dso);
}

/*
 * Returns the index of DSO in WEIGHTS, or COLOURS if it is not among the first.
 * DSO names are unique strings, so pointers are compared.
 */
static uint32_t dso_rank(
	const struct dso_weight *weights, size_t n, const char *dso)
{
	uint32_t i;

	for (i = 0; i < n && i < COLOURS; i++)
		if (weights[i].dso == dso)
			return i;
	return COLOURS;
}

static void choose_dso_colours(struct svg_drawing *drawing)
{
	const struct flame *flame = drawing->flame;
	size_t n = flame->functions.n, i;
	ARRAY(struct dso_weight) weights = { 0 };
	double *selves = xcalloc(n, sizeof(*selves));
	struct hash_index by_dso = { 0 };

	array_each(&flame->cells, cell)
		selves[flame->nodes.at[cell->node].function] +=
			(double)cell->period;
	for (i = 0; i < n; i++) {
		const char *dso = flame->functions.at[i].dso;
		uint64_t hash = hash_words((uintptr_t)dso, 0);
		uint32_t at = (uint32_t)weights.n;

		if (!dso)
			continue;
		hash_each_match(&by_dso, hash, known)
			if (weights.at[known].dso == dso)
				at = known;
		if (at == weights.n) {
			hash_insert(&by_dso, hash, at);
			array_push(&weights)->dso = dso;
		}
		weights.at[at].self += selves[i];
	}
	array_sort(&weights, compare_svg_dsos);
	drawing->colours = xcalloc(n, sizeof(*drawing->colours));
	for (i = 0; i < n; i++) {
		const char *dso = flame->functions.at[i].dso;

		drawing->colours[i] = dso ? dso_rank(weights.at, weights.n, dso)
					  : COLOURS + 1;
	}
	array_free(&weights);
	hash_free(&by_dso);
	free(selves);
}

/* --- the picture --------------------------------------------------------- */

/*
 * Appends the number of SAMPLES, with --off-cpu or --wall preceded by PERIOD as
 * a time.
 */
static void put_sample_amount(const struct svg_graph *graph, double period,
	uint64_t samples, struct strbuf *out)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 } };
	size_t i = 0;

	if (graph->made->options.time) {
		while (i + 1 < ARRAY_SIZE(units) && period < units[i].ns)
			i++;
		strbuf_printf(
			out, "%.2f %s, ", period / units[i].ns, units[i].name);
	}
	strbuf_printf(
		out, "%" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
}

static void put_svg_frame(struct svg_drawing *drawing,
	const struct svg_graph *graph, uint32_t node)
{
	const struct flame *flame = drawing->flame;
	const struct flame_node *at = &flame->nodes.at[node];
	const struct flame_function *function =
		&flame->functions.at[at->function];
	double width = node_width(graph, node);
	double x = MARGIN +
		graph->x[node] / graph->totals[0] * (WIDTH - 2 * MARGIN);
	uint32_t y = drawing->y + graph->depths[node] * ROW_HEIGHT;
	struct strbuf *out = &drawing->out;

	strbuf_puts(out, "<g><title>");
	escape_xml(out, function->name);
	strbuf_puts(out, at->is_inlined ? " (inlined)" : "");
	if (function->dso) {
		strbuf_puts(out, " [");
		escape_xml(out, function->dso);
		strbuf_putc(out, ']');
	}
	strbuf_printf(
		out, ": %.2f %%, ", 100 * graph->totals[node] / graph->whole);
	put_sample_amount(
		graph, graph->totals[node], graph->samples[node], out);
	strbuf_printf(out,
		"</title><rect x=\"%.1f\" y=\"%" PRIu32
		"\" width=\"%.1f\" height=\"%u\" class=\"c%" PRIu32 "\"/>",
		x, y, MAX(width - 0.5, MIN_FRAME_WIDTH), ROW_HEIGHT - 1,
		drawing->colours[at->function]);
	if (width > 4 * CHAR_WIDTH) {
		strbuf_printf(out, "<text x=\"%.1f\" y=\"%" PRIu32 "\">", x + 3,
			y + ROW_HEIGHT - 4);
		put_cut_text(out, function->name,
			(size_t)((width - 6) / CHAR_WIDTH) - 1);
		strbuf_puts(out, "</text>");
	}
	strbuf_puts(out, "</g>\n");
}

static void put_svg_graph(
	struct svg_drawing *drawing, const struct svg_graph *graph)
{
	const struct input_event *event =
		&graph->made->result.inputs.events.at[graph->event];
	struct strbuf *out = &drawing->out;
	uint32_t i;

	strbuf_printf(out, "<text x=\"%.0f\" y=\"%" PRIu32 "\" class=\"t\">",
		MARGIN, drawing->y + 20);
	escape_xml(out, event->name);
	strbuf_puts(out, ": ");
	put_sample_amount(graph, graph->totals[0], graph->samples[0], out);
	strbuf_puts(out, "</text>\n");
	drawing->y += TITLE_HEIGHT;
	for (i = 0; i < drawing->flame->nodes.n; i++)
		if (graph->totals[i] > 0 &&
			node_width(graph, i) >= MIN_FRAME_WIDTH)
			put_svg_frame(drawing, graph, i);
	drawing->y += (graph->deepest + 1) * ROW_HEIGHT;
}

static void put_event_graph(struct svg_drawing *drawing,
	const struct flame_result *made, uint32_t event,
	const struct event_totals *totals)
{
	struct svg_graph graph = {
		.made = made, .event = event, .whole = (double)totals->period
	};

	count_svg_graph(&graph);
	if (graph.totals[0] > 0) {
		place_svg_nodes(&graph);
		put_svg_graph(drawing, &graph);
	} else if (graph.samples[0]) {
		log_note("event '%s' has no flame graph: the periods of all "
			 "its samples are 0",
			made->result.inputs.events.at[event].name);
	}
	svg_graph_deinit(&graph);
}

/*
 * Draws a graph for each event with samples; a recording can have thousands of
 * events without samples.
 */
static void put_event_graphs(
	struct svg_drawing *drawing, const struct flame_result *made)
{
	const struct scan *scan = &made->result.scan;
	uint32_t event;

	for (event = 0; event < scan->by_event.n; event++)
		if (scan->by_event.at[event].samples)
			put_event_graph(drawing, made, event,
				&scan->by_event.at[event]);
}

static const char svg_style[] =
	"<style>\n"
	"svg{background:#fff}text{font:11px Verdana,sans-serif;fill:#16191d}"
	".t{font-size:14px}\n"
	".c0{fill:#8db9e8}.c1{fill:#f3b877}.c2{fill:#93d0a0}.c3{fill:#eca3ae}"
	".c4{fill:#bdaae6}\n"
	".c5{fill:#83d1cd}.c6{fill:#ddc972}.c7{fill:#cfae94}.c8{fill:#b2cb7c}"
	".c9{fill:#dd9fd8}\n"
	".c10{fill:#c9ced6}.c11{fill:#dde1e7}\n"
	"</style>\n";

/*
 * Writes the SVG element around the frames, which are drawn first because the
 * height of the picture depends on them.
 */
static void put_svg_picture(
	const struct svg_drawing *drawing, struct outflow *out)
{
	static const char end[] = "</svg>\n";

	strbuf_printf(&out->text,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width="
		"\"%.0f\" height=\"%" PRIu32 "\" viewBox=\"0 0 %.0f %" PRIu32
		"\">\n%s",
		WIDTH, drawing->y, WIDTH, drawing->y, svg_style);
	outflow_put(out, drawing->out.at ?: "", drawing->out.n);
	strbuf_puts(&out->text, end);
}

static struct error *run_svg_export(const struct options *options, int fd)
{
	const struct flame_config config = { 0 };
	struct outflow out = outflow_begin(options->output, &fd);
	struct flame_result made;
	struct error *err = flame_result_make(options, &config, &made);
	struct svg_drawing drawing = { .flame = &made.flame };

	if (!err) {
		choose_dso_colours(&drawing);
		put_event_graphs(&drawing, &made);
		drawing.y += (uint32_t)MARGIN;
		put_svg_picture(&drawing, &out);
	}
	err = outflow_end(&out, err);
	strbuf_free(&drawing.out);
	free(drawing.colours);
	flame_result_deinit(&made);
	return err;
}

const struct export export_svg = { "svg", false, run_svg_export };
