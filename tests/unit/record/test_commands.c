/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of --control, through pipes instead of FIFOs. */
#include "config.h"

#include "tests/unit/testing.h"

#include <fcntl.h>
#include <stdio.h>

#include "common/util/log.h"
#include "record/commands.h"

struct client {
	struct commands commands;
	int to, from;	/* the recorder */
	char done[512]; /* "kind words;" of each command */
	unsigned n_commands;
};

static void start_client(struct client *client)
{
	char how[64];
	int there[2], back[2];

	*client = (struct client){ 0 };
	log_set_level(LOG_QUIET);
	assert_int_equal(pipe(there), 0);
	assert_int_equal(pipe2(back, O_NONBLOCK), 0);
	snprintf(how, sizeof(how), "fd:%d,%d", there[0], back[1]);
	assert_no_error(commands_open(how, &client->commands));
	/* The opened commands have duplicates of these. */
	close(there[0]);
	close(back[1]);
	client->to = there[1];
	client->from = back[0];
}

static void end_client(struct client *client)
{
	commands_close(&client->commands);
	if (client->to >= 0)
		close(client->to);
	close(client->from);
}

static void note_command(void *data, enum command_kind kind, const char *words)
{
	struct client *client = data;
	size_t n = strlen(client->done);

	snprintf(client->done + n, sizeof(client->done) - n, "%d %.20s;",
		(int)kind, words);
}

/* Sends TEXT, and compares the executed commands and the acknowledgements. */
static void expect_commands(struct client *client, const char *text,
	const char *done, const char *answer)
{
	char got[512] = "";
	size_t size = strlen(text);

	client->done[0] = '\0';
	assert_int_equal(write(client->to, text, size), size);
	assert_true(commands_take(&client->commands, note_command, client));
	if (read(client->from, got, sizeof(got) - 1) < 0)
		got[0] = '\0';
	assert_string_equal(client->done, done);
	assert_string_equal(got, answer);
}

/* Sends another command, so that the input never ends. */
static void send_another(void *data, enum command_kind kind, const char *words)
{
	struct client *client = data;

	assert_int_equal(kind, COMMAND_PING);
	assert_string_equal(words, "");
	if (++client->n_commands > 100000)
		fail_msg("this would go on for ever");
	assert_int_equal(write(client->to, "ping\n", 5), 5);
}

static void an_endless_stream_of_commands_does_not_block(void **state _unused_)
{
	struct client client;
	unsigned first;

	start_client(&client);
	assert_int_equal(write(client.to, "ping\n", 5), 5);
	assert_true(commands_take(&client.commands, send_another, &client));
	/* The next call executes the other commands. */
	first = client.n_commands;
	assert_true(commands_take(&client.commands, send_another, &client));
	assert_true(client.n_commands > first);
	end_client(&client);
}

static void each_control_command_is_acknowledged(void **state _unused_)
{
	struct client client;

	start_client(&client);
	expect_commands(&client, "enable\n", "0 ;", "ack\n");
	expect_commands(
		&client, "disable cpu-clock\n", "1 cpu-clock;", "ack\n");
	expect_commands(&client, "evlist -v\nping\n", "2 -v;3 ;", "ack\nack\n");
	expect_commands(&client, "snapshot\nstop\n", "4 ;5 ;", "ack\nack\n");
	end_client(&client);
}

static void a_control_command_can_arrive_in_parts(void **state _unused_)
{
	struct client client;

	start_client(&client);
	expect_commands(&client, "pi", "", "");
	expect_commands(&client, "ng", "", "");
	expect_commands(&client, "\nst", "3 ;", "ack\n");
	expect_commands(&client, "op\n", "5 ;", "ack\n");
	end_client(&client);
}

static void unknown_commands_are_not_acknowledged(void **state _unused_)
{
	struct client client;

	start_client(&client);
	expect_commands(&client, "\n\nexplode\n pin\nping\n", "3 ;", "ack\n");
	end_client(&client);
}

static void a_command_line_without_an_end_is_ignored(void **state _unused_)
{
	char text[COMMAND_LENGTH_MAX * 2 + 1];
	struct client client;

	start_client(&client);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	expect_commands(&client, text, "", "");
	expect_commands(&client, "\nping\n", "3 ;", "ack\n");
	end_client(&client);
}

static void unread_acknowledgements_do_not_block(void **state _unused_)
{
	struct client client;
	unsigned i;

	start_client(&client);
	for (i = 0; i < 20000; i++) {
		assert_int_equal(write(client.to, "ping\n", 5), 5);
		client.done[0] = '\0';
		assert_true(
			commands_take(&client.commands, note_command, &client));
		assert_string_equal(client.done, "3 ;");
	}
	end_client(&client);
}

static void the_end_of_the_control_input_is_detected(void **state _unused_)
{
	struct client client;

	start_client(&client);
	assert_int_equal(write(client.to, "stop\n", 5), 5);
	close(client.to);
	client.to = -1;
	assert_false(commands_take(&client.commands, note_command, &client));
	assert_string_equal(client.done, "5 ;");
	end_client(&client);
}

static void the_flags_of_the_control_descriptor_are_restored(
	void **state _unused_)
{
	struct commands commands;
	char how[32];
	int there[2];

	assert_int_equal(pipe(there), 0);
	snprintf(how, sizeof(how), "fd:%d", there[0]);
	assert_no_error(commands_open(how, &commands));
	assert_true(fcntl(there[0], F_GETFL) & O_NONBLOCK);
	commands_close(&commands);
	assert_false(fcntl(there[0], F_GETFL) & O_NONBLOCK);
	close(there[0]);
	close(there[1]);
}

static void expect_open_error(
	const char *how, enum error_kind kind, const char *why)
{
	struct commands commands;
	struct error *err = commands_open(how, &commands);

	if (!err)
		fail_msg("'%s' was taken", how);
	assert_int_equal(err->kind, kind);
	if (!strstr(err->text, why))
		fail_msg("'%s' isn't in '%s'", why, err->text);
	error_free(err);
	commands_close(&commands);
}

static void invalid_values_of_option_control_are_errors(void **state _unused_)
{
	expect_open_error(
		"", ERROR_USAGE, "is not fifo:CTL[,ACK] or fd:CTL[,ACK]");
	expect_open_error("ctl", ERROR_USAGE, "is not fifo:");
	expect_open_error("fd:", ERROR_USAGE, "is not fifo:");
	expect_open_error("fd:x", ERROR_USAGE, "'x' is not a number");
	expect_open_error("fd:1,", ERROR_USAGE, "'' is not a number");
	expect_open_error("fd:987654", ERROR_FAILED, "descriptor 987654");
	expect_open_error(
		"fifo:/nonexistent/ctl", ERROR_FAILED, "No such file");
	expect_open_error("fifo:/dev/null", ERROR_FAILED, "is not a FIFO");
}

static void replies_end_after_a_mebibyte(void **state _unused_)
{
	struct commands commands = { 0 };
	unsigned i;

	/* The first reply is complete, however long it is. */
	assert_true(commands_take_reply(&commands, MIB(5)));
	assert_false(commands_take_reply(&commands, 1));
	commands = (struct commands){ 0 };
	log_set_level(LOG_QUIET);
	for (i = 0; i < 1024; i++)
		assert_true(commands_take_reply(&commands, KIB(1)));
	assert_false(commands_take_reply(&commands, KIB(1)));
	assert_false(commands_take_reply(&commands, KIB(1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replies_end_after_a_mebibyte),
		cmocka_unit_test(each_control_command_is_acknowledged),
		cmocka_unit_test(an_endless_stream_of_commands_does_not_block),
		cmocka_unit_test(a_control_command_can_arrive_in_parts),
		cmocka_unit_test(unknown_commands_are_not_acknowledged),
		cmocka_unit_test(a_command_line_without_an_end_is_ignored),
		cmocka_unit_test(unread_acknowledgements_do_not_block),
		cmocka_unit_test(the_end_of_the_control_input_is_detected),
		cmocka_unit_test(
			the_flags_of_the_control_descriptor_are_restored),
		cmocka_unit_test(invalid_values_of_option_control_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
