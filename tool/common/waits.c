// SPDX-License-Identifier: GPL-2.0
/* Waits: two lists, as there are few users and fewer silent devices. */

#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>

#include "array.h"
#include "clock.h"
#include "waits.h"

/* Halved by each silence, as many users may have their own: twice that in all. */
#define TIMEOUT_MS     5000
#define TIMEOUT_MIN_MS 78
/*
 * Containers may have most of a machine's processes as root: what a question takes anyway is not
 * counted for root.
 */
#define ORDINARY_NS 1000000

struct wait_user {
	uint64_t user;
	uint64_t spent, since;
};

static struct waits {
	struct wait_user *users;
	size_t nr_users;
	struct waited *silent;
	size_t nr_silent;
	unsigned int silences;
	bool exhausted;
} waits;

/* NULL only without memory. */
static struct wait_user *waits_user(uint64_t id)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct wait_user *user = waits.users;
	uint64_t back;
	size_t i;

	for (i = 0; i < waits.nr_users; i++, user++) {
		if (user->user != id)
			continue;
		back = (now - user->since) / WAITS_BACK;
		user->spent -= MIN(back, user->spent);
		/* What is left of the division counts next time. */
		user->since += back * WAITS_BACK;
		return user;
	}
	if (!array_reserve(waits.users, waits.nr_users))
		return NULL;
	user = &waits.users[waits.nr_users++];
	*user = (struct wait_user){ .user = id, .since = now };
	return user;
}

uint64_t waits_spent(uint64_t user)
{
	const struct wait_user *found = waits_user(user);

	return found ? found->spent : 0;
}

void waits_charge(uint64_t user, uint64_t ns, uint64_t most)
{
	struct wait_user *found = waits_user(user);

	if (found)
		found->spent = MIN(found->spent + ns, most);
}

static bool is_silent(const struct waited *waited)
{
	size_t i, devices = 0;

	for (i = 0; i < waits.nr_silent; i++) {
		if (waits.silent[i].user != waited->user)
			continue;
		if (waits.silent[i].major == waited->major &&
		    waits.silent[i].minor == waited->minor)
			return true;
		devices++;
	}
	return devices >= WAITS_SILENT_MAX && (waited->major || waited->minor);
}

static void add_silent(const struct waited *waited)
{
	if ((waited->major || waited->minor) && array_reserve(waits.silent, waits.nr_silent))
		waits.silent[waits.nr_silent++] = *waited;
}

/* Of the user's time; 0 when that is not enough to be answered in. */
static int waits_timeout_ms(const struct wait_user *user)
{
	const int left = (int)((WAITS_MOST_NS - MIN(user->spent, WAITS_MOST_NS)) / 1000000);
	const int most = TIMEOUT_MS >> MIN(waits.silences, 16U);

	return left < TIMEOUT_MIN_MS ? 0 : MIN(MAX(most, TIMEOUT_MIN_MS), left);
}

int waits_ask(const struct waited *waited, struct worker *worker,
	      const struct worker_message *question, struct worker_message *answer)
{
	struct wait_user *user = waits_user(waited->user);
	uint64_t begin, took;
	int error;

	if (!user)
		return ENOMEM;
	worker->user = waited->user;
	worker->timeout_ms = waits_timeout_ms(user);
	if (!worker->timeout_ms || is_silent(waited) ||
	    worker_left(worker, waited->user) >= WAITS_SILENT_MAX)
		return ETIME;
	begin = clock_ns(CLOCK_MONOTONIC);
	error = worker_ask(worker, question, answer);
	took = clock_ns(CLOCK_MONOTONIC) - begin;
	if (!waited->user)
		took -= MIN(took, ORDINARY_NS);
	waits_charge(waited->user, took, WAITS_MOST_NS);
	if (error == ETIMEDOUT) {
		waits.silences++;
		add_silent(waited);
	}
	waits.exhausted |= error == EBUSY;
	return error;
}

bool waits_exhausted(void)
{
	return waits.exhausted;
}

void waits_forget(void)
{
	free(waits.users);
	free(waits.silent);
	waits = (struct waits){};
}
