// SPDX-License-Identifier: GPL-2.0
/* Waits: how much time one user's files take, and that others lose nothing by it. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/worker.h"

#define SECOND 1000000000ULL

static uint64_t time_ns, delay;
static int failure;
static unsigned int asked;

static int fake_ask(struct worker *worker, const struct worker_message *question,
		    struct worker_message *answer);

#define clock_ns(which)			     ((void)(which), time_ns)
#define worker_ask(worker, question, answer) fake_ask(worker, question, answer)
#include "common/waits.c"

/* As worker_ask() does it for an answer that takes @delay. */
static int fake_ask(struct worker *worker, const struct worker_message *question,
		    struct worker_message *answer)
{
	const uint64_t timeout = (uint64_t)worker->timeout_ms * 1000000;

	(void)question;
	(void)answer;
	asked++;
	time_ns += MIN(delay, timeout);
	return delay > timeout ? ETIMEDOUT : failure;
}

static int set_up(void **state)
{
	(void)state;
	waits_forget();
	time_ns = 1000 * SECOND;
	delay = asked = 0;
	failure = 0;
	return 0;
}

static int ask_for(uint64_t user, uint32_t minor)
{
	static struct worker worker = { .socket = -1 };
	const struct waited waited = { user, 0, minor };

	return waits_ask(&waited, &worker, NULL, NULL);
}

static void a_user_is_waited_for_so_long(void **state)
{
	unsigned int count = 0;

	(void)state;
	delay = SECOND;
	while (!ask_for(1000, 7))
		count++;
	/* The last one got what had come back meanwhile, but not a whole second. */
	assert_int_equal(count, 61);
	assert_int_equal(asked, 62);
	assert_int_equal(ask_for(1000, 8), ETIME);
	assert_int_equal(asked, 62);
	assert_int_equal(ask_for(1001, 7), 0);
	time_ns += 320 * SECOND;
	assert_int_equal(ask_for(1000, 8), 0);
	assert_in_range(waits_spent(1000), 50 * SECOND, 52 * SECOND);
}

static void the_last_wait_is_for_what_is_left(void **state)
{
	(void)state;
	waits_charge(1000, WAITS_MOST_NS - SECOND, WAITS_MOST_NS);
	delay = 4 * SECOND;
	assert_int_equal(ask_for(1000, 7), ETIMEDOUT);
	assert_int_equal(time_ns, 1001 * SECOND);
}

static void a_silent_device_is_asked_once(void **state)
{
	(void)state;
	delay = 10 * SECOND;
	assert_int_equal(ask_for(1000, 7), ETIMEDOUT);
	assert_int_equal(ask_for(1000, 7), ETIME);
	assert_int_equal(ask_for(1000, 8), ETIMEDOUT);
	assert_int_equal(ask_for(1000, 9), ETIMEDOUT);
	delay = 0;
	/* three are enough; another user's are others, as is what is on no device */
	assert_int_equal(ask_for(1000, 10), ETIME);
	assert_int_equal(ask_for(1001, 7), 0);
	assert_int_equal(ask_for(1000, 0), 0);
}

static void root_does_not_wait_less_for_others_silences(void **state)
{
	uint32_t minor;

	(void)state;
	delay = 10 * SECOND;
	for (minor = 1; minor <= 3; minor++)
		ask_for(1000, minor);
	for (minor = 1; minor <= 3; minor++)
		ask_for(1000, 0);
	/* a disk that is busy */
	delay = SECOND / 10;
	assert_int_equal(ask_for(0, 7), 0);
	/* another user gets no answer, and the disk is not taken for silent */
	assert_int_equal(ask_for(1001, 7), ETIMEDOUT);
	delay = 0;
	assert_int_equal(ask_for(1001, 7), 0);
	assert_int_equal(ask_for(1000, 1), ETIME);
	/* in time all is forgotten */
	time_ns += 200 * SECOND;
	delay = SECOND / 10;
	assert_int_equal(ask_for(1000, 1), 0);
	assert_int_equal(ask_for(1001, 7), 0);
}

static void many_users_are_not_waited_for_longer(void **state)
{
	uint64_t user;

	(void)state;
	delay = 10 * SECOND;
	for (user = 1; user < 60; user++)
		assert_int_equal(ask_for(user, 7), ETIMEDOUT);
	assert_true(time_ns < 1015 * SECOND);
}

static void root_is_not_charged_for_what_takes_no_time(void **state)
{
	(void)state;
	delay = 900000;
	ask_for(0, 7);
	ask_for(1000, 7);
	assert_int_equal(waits_spent(0), 0);
	assert_int_equal(waits_spent(1000), delay);
	delay = SECOND;
	ask_for(0, 7);
	assert_in_range(waits_spent(0), SECOND / 2, SECOND);
}

static void it_is_known_when_no_worker_was_to_be_had(void **state)
{
	(void)state;
	assert_int_equal(ask_for(1000, 7), 0);
	assert_false(waits_exhausted());
	failure = EBUSY;
	assert_int_equal(ask_for(1000, 7), EBUSY);
	assert_true(waits_exhausted());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_user_is_waited_for_so_long, set_up),
		cmocka_unit_test_setup(the_last_wait_is_for_what_is_left, set_up),
		cmocka_unit_test_setup(a_silent_device_is_asked_once, set_up),
		cmocka_unit_test_setup(root_does_not_wait_less_for_others_silences, set_up),
		cmocka_unit_test_setup(many_users_are_not_waited_for_longer, set_up),
		cmocka_unit_test_setup(root_is_not_charged_for_what_takes_no_time, set_up),
		cmocka_unit_test_setup(it_is_known_when_no_worker_was_to_be_had, set_up),
	};

	return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
