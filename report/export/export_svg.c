/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as a picture: 100 % wide, with the outermost frames at the
 * bottom, as in the HTML page. Titles, which browsers show as tooltips, contain
 * full names and percentages. A script (svg.js) zooms and searches; viewers that
 * run no scripts show the whole graph.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/export/export.h"
#include "report/export/svg_script.h"
#include "report/flame/flame_colour.h"
#include "report/flame/flame_result.h"
#include "report/util/outflow.h"
#include "report/view/stdio_cell.h"

/* Widths in pixels if the picture is as wide as a usual window. */
#define WIDTH 1200.0
#define MIN_FRAME_WIDTH 0.3
#define MIN_TEXT_WIDTH 26.0
#define ROW_HEIGHT 16u
#define TITLE_HEIGHT 34u
#define LEGEND_HEIGHT 20u
/* Width of a letter in the legend, at most, and the part beside the text. */
#define LETTER_WIDTH 7u
#define SWATCH_WIDTH 30u

/* The flame graph of one event. */
struct svg_graph {
	const struct flame_result *made;
	uint32_t event;
	double whole;	/* sum of periods in the recording */
	double *totals; /* for each node: period, including its callees */
	double *x;	/* for each node: left edge, in periods */
	uint32_t *depths, deepest;
	uint64_t *samples; /* for each node: samples, including its callees */
	/* For each node: its callees that are too narrow to draw, from .x on. */
	struct svg_narrow {
		uint32_t n;
		double x, total;
		uint64_t samples;
	} * narrow;
};

struct svg_drawing {
	const struct flame *flame;
	struct flame_colouring colours;
	struct outflow *out;
	uint32_t y;
};

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

static bool is_wide(const struct svg_graph *graph, double total)
{
	return total / graph->totals[0] * WIDTH >= MIN_FRAME_WIDTH;
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
		if (is_wide(graph, at->total))
			graph->deepest =
				MAX(graph->deepest, graph->depths[at->node]);
		else {
			struct svg_narrow *narrow = &graph->narrow[at->parent];
			if (at->total > 0) {
				if (!narrow->n++)
					narrow->x = graph->x[at->node];
				narrow->total += at->total;
				narrow->samples += graph->samples[at->node];
				if (is_wide(graph, narrow->total))
					graph->deepest = MAX(graph->deepest,
						graph->depths[at->node]);
			}
		}
	}
	free(siblings);
}

/* --- the picture --------------------------------------------------------- */

/* A rectangle at DEPTH, from X on, with the period TOTAL. */
struct svg_box {
	uint32_t depth;
	double x, total;
	uint64_t samples;
};

/* Begins BOX with its CSS class and the start of its title. */
static void begin_svg_box(struct svg_drawing *drawing,
	const struct svg_graph *graph, const struct svg_box *box,
	const char *class)
{
	uint32_t y = drawing->y + (graph->deepest - box->depth) * ROW_HEIGHT;

	strbuf_printf(&drawing->out->text,
		"<svg class=\"%s\" x=\"%.4f%%\" y=\"%" PRIu32
		"\" width=\"%.4f%%\" height=\"%u\"><title>",
		class, 100 * box->x / graph->totals[0], y,
		100 * box->total / graph->totals[0], ROW_HEIGHT - 1);
}

/* Ends BOX, of the colour class COLOUR, with the text NAME. */
static void end_svg_box(struct svg_drawing *drawing,
	const struct svg_graph *graph, const struct svg_box *box,
	const char *colour, const char *name)
{
	struct strbuf *out = &drawing->out->text;

	strbuf_printf(out, ": %.2f %%, ", 100 * box->total / graph->whole);
	/*
	 * Append the number of the samples, with --off-cpu or --wall preceded
	 * by the period as a time.
	 */
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 } };
	size_t i = 0;

	if (graph->made->options.time.counted) {
		while (i + 1 < ARRAY_SIZE(units) && box->total < units[i].ns)
			i++;
		strbuf_printf(out, "%.2f %s, ", box->total / units[i].ns,
			units[i].name);
	}
	strbuf_printf(out, "%" PRIu64 " sample%s", box->samples,
		box->samples == 1 ? "" : "s");
	strbuf_printf(out, "</title><rect class=\"%s\"/>", colour);
	if (box->total / graph->totals[0] * WIDTH >= MIN_TEXT_WIDTH) {
		strbuf_puts(out, "<text x=\"3\" y=\"11\">");
		escape_xml(out, name);
		strbuf_puts(out, "</text>");
	}
	strbuf_puts(out, "</svg>\n");
}

static void put_svg_frame(struct svg_drawing *drawing,
	const struct svg_graph *graph, uint32_t node)
{
	const struct flame *flame = drawing->flame;
	const struct flame_node *at = &flame->nodes.at[node];
	const struct flame_function *function =
		&flame->functions.at[at->function];
	const struct svg_box box = { graph->depths[node], graph->x[node],
		graph->totals[node], graph->samples[node] };
	struct strbuf *out = &drawing->out->text;
	char colour[8];

	begin_svg_box(drawing, graph, &box, "f");
	escape_xml(out, function->name);
	strbuf_puts(out, at->is_inlined ? " (inlined)" : "");
	if (function->dso) {
		strbuf_puts(out, " [");
		escape_xml(out, function->dso);
		strbuf_putc(out, ']');
	}
	snprintf(colour, sizeof(colour), "c%u",
		drawing->colours.by_module[at->function]);
	end_svg_box(drawing, graph, &box, colour, function->name);
}

/* What a colour means, and its part of the samples. */
struct svg_meaning {
	const char *name;
	uint8_t colour;
	double own;
};

static int compare_meanings(const void *a, const void *b)
{
	const struct svg_meaning *left = a, *right = b;

	if (left->own > right->own || left->own < right->own)
		return COMPARE(right->own, left->own);
	return strcmp(left->name, right->name);
}

/*
 * Returns, for each node, the number in colours->names of the innermost frame of its
 * stack that is neither a library of the system nor a state, or of any frame if there is
 * none. If CALLEES_FIRST, the nodes begin with the innermost frames. The caller frees the
 * numbers.
 */
static uint32_t *find_owners(
	const struct svg_drawing *drawing, bool callees_first)
{
	const struct flame *flame = drawing->flame;
	const struct flame_colouring *colours = &drawing->colours;
	uint32_t *owners = xcalloc(flame->nodes.n, sizeof(*owners)), i;

	owners[0] = colours->module[flame->nodes.at[0].function];
	for (i = 1; i < flame->nodes.n; i++) {
		const struct flame_node *node = &flame->nodes.at[i];
		uint32_t own = colours->module[node->function];
		const char *name = string_table_at(&colours->names, own);
		const char *above =
			string_table_at(&colours->names, owners[node->parent]);
		bool keeps_above = callees_first
			? !string_is(above, FLAME_SYSTEM_NAME)
			: string_is(name, FLAME_SYSTEM_NAME);

		owners[i] = !*name || (*above && keeps_above)
			? owners[node->parent]
			: own;
	}
	return owners;
}

/*
 * Returns the meanings of the colours by their samples, most first, by the owners of
 * nodes. The caller frees the meanings.
 */
static struct svg_meaning *rank_meanings(
	const struct svg_drawing *drawing, const struct svg_graph *graph)
{
	const struct flame *flame = drawing->flame;
	const struct flame_colouring *colours = &drawing->colours;
	size_t n = colours->names.at.n;
	struct svg_meaning *all = xcalloc(n + 1, sizeof(*all));
	uint32_t *owners = find_owners(drawing,
			 graph->made->options.stacks.has_callees_first),
		 i;

	for (i = 0; i < n; i++)
		all[i].name = string_table_at(&colours->names, i);
	for (i = 0; i < flame->functions.n; i++)
		all[colours->module[i]].colour = colours->by_module[i];
	array_each(&flame->cells, cell)
		if (cell->event == graph->event)
			all[owners[cell->node]].own += (double)cell->period;
	free(owners);
	qsort(all, n, sizeof(*all), compare_meanings);
	return all;
}

/* Draws one line about the colours of GRAPH, as far as it has room. */
static void put_svg_legend(
	struct svg_drawing *drawing, const struct svg_graph *graph)
{
	struct strbuf *out = &drawing->out->text;
	struct svg_meaning *all = rank_meanings(drawing, graph);
	size_t n = drawing->colours.names.at.n, i, x = 3;

	for (i = 0; i < n; i++) {
		const char *name = all[i].name;
		_cleanup_free_ char *share = all[i].own > 0
			? xasprintf(" %.2f %%", 100 * all[i].own / graph->whole)
			: NULL;
		size_t width = SWATCH_WIDTH +
			LETTER_WIDTH * (strlen(name) + strlen(share ?: ""));

		if (!*name || (double)(x + width) > WIDTH ||
			(!share && !string_is(name, FLAME_SYSTEM_NAME)))
			continue;
		strbuf_printf(out,
			"<svg x=\"%zu\" y=\"%" PRIu32
			"\" width=\"12\" height=\"12\"><rect class=\"c%u\"/>"
			"</svg><text x=\"%zu\" y=\"%" PRIu32 "\" class=\"l\">",
			x, drawing->y + 5, all[i].colour, x + 17,
			drawing->y + 15);
		escape_xml(out, name);
		strbuf_printf(out, "%s</text>\n", share ?: "");
		x += width;
	}
	drawing->y += LEGEND_HEIGHT;
	free(all);
}

/*
 * Draws GRAPH, and below it, where the page is scrolled to, its title, the text
 * of the search, and the legend.
 */
static void put_svg_graph(
	struct svg_drawing *drawing, const struct svg_graph *graph)
{
	const struct input_event *event =
		&graph->made->result.inputs.events.at[graph->event];
	struct strbuf *out = &drawing->out->text;
	uint32_t i;

	strbuf_puts(out, "<g>\n");
	for (i = 0; i < drawing->flame->nodes.n && outflow_some(drawing->out);
		i++)
		if (graph->totals[i] > 0 && is_wide(graph, graph->totals[i])) {
			put_svg_frame(drawing, graph, i);
			/*
			 * Draw the callees of the node that are too narrow as
			 * one box, if that is visible.
			 */
			const struct svg_narrow *narrow = &graph->narrow[i];
			const struct svg_box box = { graph->depths[i] + 1,
				narrow->x, narrow->total, narrow->samples };
			char name[32];
			if (is_wide(graph, narrow->total)) {
				begin_svg_box(drawing, graph, &box, "f narrow");
				snprintf(name, sizeof(name),
					"%" PRIu32 " frame%s", narrow->n,
					narrow->n == 1 ? "" : "s");
				strbuf_printf(&drawing->out->text,
					"%s too narrow to draw", name);
				end_svg_box(drawing, graph, &box, "n", name);
			}
		}
	drawing->y += (graph->deepest + 1) * ROW_HEIGHT;
	strbuf_printf(out,
		"</g>\n<text x=\"100%%\" y=\"%" PRIu32 "\" class=\"q\"/>\n"
		"<text x=\"3\" y=\"%" PRIu32 "\" class=\"t\">",
		drawing->y + 20, drawing->y + 20);
	escape_xml(out, event->name);
	strbuf_printf(out, ": %" PRIu64 " sample%s", graph->samples[0],
		plural(graph->samples[0]));
	if (graph->made->options.time.counted) {
		strbuf_puts(out, ", ");
		stdio_title_put_thread_time(
			&graph->made->result, (uint64_t)graph->totals[0], out);
	}
	strbuf_puts(out, "</text>\n");
	drawing->y += TITLE_HEIGHT;
	put_svg_legend(drawing, graph);
}

static const char svg_style[] =
	"svg{--back:#fff;--text:#16191d}\n"
	"text{font:11px Verdana,sans-serif;fill:var(--text);white-space:pre}\n"
	"rect{width:100%;height:100%;stroke:var(--back);stroke-width:.7}\n"
	".t{font-size:14px}.q{text-anchor:end;cursor:pointer}\n"
	".f{cursor:pointer}.f:hover{opacity:.75}.above{opacity:.65}\n"
	".n{fill:#cfd4dc}.found rect{fill:#ff4fd8}\n";
static const char svg_dark_style[] =
	"svg{--back:#12151a;--text:#f0f2f5}.n{fill:#434a56}"
	".found rect{fill:#a3238a}\n";

/* Writes the text before the frames, in a picture of HEIGHT. */
static void put_svg_head(struct strbuf *out, uint32_t height)
{
	unsigned i;

	strbuf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" "
		"height=\"%" PRIu32 "\">\n",
		height);
	/* Class "c0" is the class 0 of flame_colour.h. */
	strbuf_printf(out, "<style>\n%s", svg_style);
	for (i = 0; i < FLAME_COLOURS; i++)
		strbuf_printf(out, ".c%u{fill:%s}\n", i, flame_shades[i].light);
	strbuf_printf(
		out, "@media(prefers-color-scheme:dark){\n%s", svg_dark_style);
	for (i = 0; i < FLAME_COLOURS; i++)
		strbuf_printf(out, ".c%u{fill:%s}\n", i, flame_shades[i].dark);
	strbuf_puts(out, "}\n</style>\n<rect style=\"fill:var(--back)\"/>\n");
}

static void free_svg_graph(struct svg_graph *graph)
{
	free(graph->totals);
	free(graph->samples);
	free(graph->depths);
	free(graph->x);
	free(graph->narrow);
}

/*
 * Places the nodes of the graph of EVENT. Returns false if it has none to draw. The
 * caller frees the graph with free_svg_graph() in any case.
 */
static bool make_svg_graph(const struct flame_result *made, uint32_t event,
	struct svg_graph *graph_ret)
{
	const struct flame *flame = &made->flame;
	const struct sample_totals *sums =
		&made->result.scan.by_event.at[event];
	size_t n = flame->nodes.n, i;
	struct svg_graph graph = { .made = made,
		.event = event,
		.whole = (double)sums->period,
		.totals = xcalloc(n, sizeof(*graph.totals)),
		.samples = xcalloc(n, sizeof(*graph.samples)),
		.depths = xcalloc(n, sizeof(*graph.depths)),
		.x = xcalloc(n, sizeof(*graph.x)),
		.narrow = xcalloc(n, sizeof(*graph.narrow)) };

	array_each(&flame->cells, cell) {
		if (cell->event != event)
			continue;
		graph.totals[cell->node] += (double)cell->period;
		graph.samples[cell->node] += cell->samples;
	}
	for (i = n; i-- > 1;) {
		uint32_t parent = flame->nodes.at[i].parent;

		graph.totals[parent] += graph.totals[i];
		graph.samples[parent] += graph.samples[i];
	}
	for (i = 1; i < n; i++)
		graph.depths[i] = graph.depths[flame->nodes.at[i].parent] + 1;
	if (graph.totals[0] > 0)
		place_svg_nodes(&graph);
	*graph_ret = graph;
	return graph.totals[0] > 0;
}

/*
 * Writes a picture with a graph for each event with samples; a recording can have
 * thousands of events without samples. The picture begins with its height, so that the
 * graphs are placed twice: only one of them, and no text of a picture, is in memory.
 */
static void put_svg_picture(
	struct svg_drawing *drawing, const struct flame_result *made)
{
	const struct scan *scan = &made->result.scan;
	uint32_t event, height = 0;
	struct svg_graph graph;

	for (event = 0; event < scan->by_event.n; event++) {
		if (!scan->by_event.at[event].samples)
			continue;
		if (make_svg_graph(made, event, &graph))
			height += (graph.deepest + 1) * ROW_HEIGHT +
				TITLE_HEIGHT + LEGEND_HEIGHT;
		else if (graph.samples[0])
			log_note(
				"event '%s' has no flame graph: the periods of "
				"all its samples are 0",
				made->result.inputs.events.at[event].name);
		free_svg_graph(&graph);
	}
	put_svg_head(&drawing->out->text, height);
	for (event = 0; event < scan->by_event.n && outflow_some(drawing->out);
		event++) {
		if (!scan->by_event.at[event].samples)
			continue;
		if (make_svg_graph(made, event, &graph))
			put_svg_graph(drawing, &graph);
		free_svg_graph(&graph);
	}
	strbuf_puts(&drawing->out->text, "<script><![CDATA[\n");
	strbuf_put(&drawing->out->text, svg_script, svg_script_size);
	strbuf_puts(&drawing->out->text, "]]></script>\n</svg>\n");
}

static struct error *run_svg_export(const struct options *options, int fd)
{
	const struct flame_config config = { .grouping =
						     options->stacks.grouping };
	struct outflow out = outflow_begin(options->output.file, &fd);
	struct flame_result made;
	struct error *err = flame_result_make(options, &config, &made);
	struct svg_drawing drawing = { .flame = &made.flame, .out = &out };

	if (!err) {
		flame_colours(&made.flame, &drawing.colours);
		put_svg_picture(&drawing, &made);
	}
	err = outflow_end(&out, err);
	flame_colouring_deinit(&drawing.colours);
	flame_result_deinit(&made);
	return err;
}

const struct export export_svg = { "svg", false, run_svg_export };
