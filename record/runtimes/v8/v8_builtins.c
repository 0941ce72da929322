/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8_builtins.h"

#include "common/util/clock.h"
#include "record/sys/tasks.h"

/* Limit of mappings of the builtins. */
#define COPIES_MAX 16u
/* Limits of the time between two reads of the mappings of the process. */
#define LOOK_MIN_NS (20 * NSEC_PER_MSEC)
#define LOOK_MAX_NS (5 * NSEC_PER_SEC)

static void add_builtins_copy(struct v8_builtins *builtins, uint64_t delta)
{
	*array_push(&builtins->copies) = (struct v8_copy){
		builtins->layout->builtins_start + delta,
		builtins->layout->builtins_end + delta,
		delta,
	};
}

void v8_builtins_init(struct v8_builtins *builtins,
	const struct v8_layout *layout, uint32_t pid, uint64_t bias)
{
	builtins->layout = layout;
	builtins->pid = pid;
	builtins->wait_ns = LOOK_MIN_NS;
	add_builtins_copy(builtins, bias);
}

void v8_builtins_deinit(struct v8_builtins *builtins)
{
	array_free(&builtins->copies);
}

const struct v8_builtin *v8_builtins_find(const struct v8_builtins *builtins,
	uint64_t address, uint64_t *delta_ret)
{
	array_each(&builtins->copies, copy)
		if (address >= copy->start && address < copy->end) {
			*delta_ret = copy->delta;
			return v8_layout_builtin(
				builtins->layout, address - copy->delta);
		}
	return NULL;
}

const uint8_t *v8_builtins_code(
	const struct v8_builtins *builtins, uint64_t address, size_t size)
{
	array_each(&builtins->copies, copy)
		if (address >= copy->start && address < copy->end)
			return size <= copy->end - address
				? builtins->layout->builtins_code +
					(address - copy->start)
				: NULL;
	return NULL;
}

bool v8_builtins_is_native(const struct v8_builtins *builtins, uint64_t address)
{
	const struct v8_layout *layout = builtins->layout;
	uint64_t linked = address - builtins->copies.at[0].delta;

	return linked >= layout->text_start && linked < layout->text_end &&
		!v8_layout_builtin(layout, linked);
}

static bool is_builtins_copy_known(
	const struct v8_builtins *builtins, uint64_t delta)
{
	array_each(&builtins->copies, copy)
		if (copy->delta == delta)
			return true;
	return false;
}

bool v8_builtins_look(struct v8_builtins *builtins)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t n = builtins->copies.n;
	uint64_t now = clock_now_ns();

	if (now < builtins->read_at)
		return false;
	builtins->read_at = now + builtins->wait_ns;
	builtins->wait_ns = MIN(builtins->wait_ns * 2, LOOK_MAX_NS);
	if (task_mappings_read((pid_t)builtins->pid, &text)) {
		struct task_mapping line;
		char *rest = text.at;

		while (task_mapping_next(&rest, &line)) {
			uint64_t offset = builtins->layout->builtins_offset;
			uint64_t delta;

			/*
			 * A copy is an executable mapping that contains the
			 * first builtin, and maps the same file as the first
			 * copy.
			 */
			if (line.rights[2] != 'x' || !line.inode ||
				offset < line.offset ||
				offset - line.offset >= line.end - line.start)
				continue;
			delta = line.start +
				(builtins->layout->builtins_offset -
					line.offset) -
				builtins->layout->builtins_start;
			if (delta == builtins->copies.at[0].delta) {
				builtins->inode = line.inode;
				builtins->major = line.major;
				builtins->minor = line.minor;
			} else if (line.inode == builtins->inode &&
				line.major == builtins->major &&
				line.minor == builtins->minor &&
				builtins->copies.n < COPIES_MAX &&
				!is_builtins_copy_known(builtins, delta)) {
				add_builtins_copy(builtins, delta);
			}
		}
	}
	return builtins->copies.n > n;
}
