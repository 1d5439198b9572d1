/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits: for how long files and processes of each user are waited for, in all that this program
 * does. A server may answer late or never, a file may be as large as its owner likes, and a process
 * may keep its address space locked.
 *
 * The user is the one to blame (process_blamed()), so that nobody gets more by taking more ids: each
 * has WAITS_MOST_NS, slowly refilled, and so many silent devices and workers that are left behind.
 * What goes beyond is not asked for; the caller has to count it. What users let wait makes the next
 * waits shorter, but not root's.
 */
#ifndef TOOL_WAITS_H
#define TOOL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker.h"

#define WAITS_MOST_NS (60ULL * 1000000000)
/* This fraction of elapsed time refills it. */
#define WAITS_BACK 32
/*
 * Devices that gave no answer, and workers that are left behind, of one user at a time. A device is
 * asked again after some minutes.
 */
#define WAITS_SILENT_MAX 3

/**
 * struct waited - what is waited for
 * @user: whose it is
 * @major: of the device that it is on, as /proc/PID/maps shows it, with @minor; 0 for no file
 */
struct waited {
	uint64_t user;
	uint32_t major, minor;
};

/*
 * As worker_ask(), for some seconds at most, half as many after each silence; the time is charged to
 * the user. ETIMEDOUT when there was no answer; ETIME when they have no more of it, or the device is
 * silent, or three of theirs are.
 */
int waits_ask(const struct waited *waited, struct worker *worker,
	      const struct worker_message *question, struct worker_message *answer);

/* What was charged to @user and is not refilled yet. */
uint64_t waits_spent(uint64_t user);
/* Charge @user with @ns more, up to @most in all. */
void waits_charge(uint64_t user, uint64_t ns, uint64_t most);

/* Whether something was not asked for as other users' files have left too many workers behind. */
bool waits_exhausted(void);

/* Begin as if nothing had been waited for. */
void waits_forget(void);

#endif
