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
/* A device that was waited for less may just be slow. */
#define SILENT_MS 1000
/* As long as it takes until the longest wait is refilled. */
#define SILENT_NS ((uint64_t)TIMEOUT_MS * 1000000 * WAITS_BACK)
/*
 * Containers may have most of a machine's processes as root: what a question takes anyway is not
 * counted for root.
 */
#define ORDINARY_NS 1000000

struct wait_user {
	uint64_t user;
	uint64_t spent, since;
};

/**
 * struct silence - what gave no answer
 * @waited: whose, and the device; 0 for a process, which may answer the next time
 * @until: when it is forgotten
 */
struct silence {
	struct waited waited;
	uint64_t until;
};

static struct waits {
	struct wait_user *users;
	size_t nr_users;
	struct silence *silences;
	size_t nr_silences;
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

static void forget_old_silences(void)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	size_t i, kept = 0;

	for (i = 0; i < waits.nr_silences; i++)
		if (waits.silences[i].until > now)
			waits.silences[kept++] = waits.silences[i];
	waits.nr_silences = kept;
}

static bool has_device(const struct waited *waited)
{
	return waited->major || waited->minor;
}

static bool is_silent(const struct waited *waited)
{
	size_t i, devices = 0;

	if (!has_device(waited))
		return false;
	for (i = 0; i < waits.nr_silences; i++) {
		const struct waited *silent = &waits.silences[i].waited;

		if (silent->user != waited->user || !has_device(silent))
			continue;
		if (silent->major == waited->major && silent->minor == waited->minor)
			return true;
		devices++;
	}
	return devices >= WAITS_SILENT_MAX;
}

static void add_silence(const struct waited *waited, int timeout_ms)
{
	struct silence silence = { *waited, clock_ns(CLOCK_MONOTONIC) + SILENT_NS };

	if (timeout_ms < SILENT_MS)
		silence.waited.major = silence.waited.minor = 0;
	if (array_reserve(waits.silences, waits.nr_silences))
		waits.silences[waits.nr_silences++] = silence;
}

/* Others' silences take nothing of root's time, as its files are most of what is asked about. */
static unsigned int silences_for(uint64_t user)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < waits.nr_silences; i++)
		count += user || !waits.silences[i].waited.user;
	return count;
}

/* Of the user's time; 0 when that is not enough to be answered in. */
static int waits_timeout_ms(const struct wait_user *user)
{
	const int left = (int)((WAITS_MOST_NS - MIN(user->spent, WAITS_MOST_NS)) / 1000000);
	const int most = TIMEOUT_MS >> MIN(silences_for(user->user), 16U);

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
	forget_old_silences();
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
	if (error == ETIMEDOUT)
		add_silence(waited, worker->timeout_ms);
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
	free(waits.silences);
	waits = (struct waits){};
}
