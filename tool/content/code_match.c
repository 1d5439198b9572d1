// SPDX-License-Identifier: GPL-2.0
/*
 * Code match: of x86-64 a reference is the 32 bits of a distance from behind themselves, or in a
 * program that is linked for one address that address.
 *
 * There is no disassembler: any four bytes around a difference may be the reference. That four
 * others lead to the same place of the same name in both files by chance is next to impossible;
 * into a section of data it is not, and so those are told apart.
 */

#include <elf.h>
#include <string.h>

#include "code_match.h"

#define REFERENCE 4

struct side {
	const struct code_image *image;
	const unsigned char *bytes;
	uint64_t start;
};

static int32_t distance_at(const unsigned char *bytes)
{
	int32_t distance;

	memcpy(&distance, bytes, sizeof(distance));
	return distance;
}

static uint64_t relative_target(const struct side *side, size_t at)
{
	return side->start + at + REFERENCE + (uint64_t)(int64_t)distance_at(side->bytes + at);
}

static uint64_t absolute_target(const struct side *side, size_t at)
{
	return (uint32_t)distance_at(side->bytes + at);
}

static bool are_alike(const struct code_place *one, const struct code_place *other)
{
	return one->kind == other->kind && one->offset == other->offset &&
	       !strcmp(one->name, other->name);
}

static bool is_function(const struct side *side, size_t at, struct code_place *place)
{
	return code_image_place(side->image, relative_target(side, at), place) && !place->offset &&
	       (place->kind == CODE_PLACE_FUNCTION || place->kind == CODE_PLACE_TRAMPOLINE);
}

/* Whether at @at both call or jump to functions, of different names. */
static bool calls_another(const struct side sides[2], size_t at)
{
	struct code_place places[2];
	unsigned char code = sides[0].bytes[at];

	return (code == 0xe8 || code == 0xe9) && sides[1].bytes[at] == code &&
	       is_function(&sides[0], at + 1, &places[0]) &&
	       is_function(&sides[1], at + 1, &places[1]) &&
	       strcmp(places[0].name, places[1].name) != 0;
}

/* CODE_MOVED, CODE_DATA, or CODE_CHANGED where it is no reference to the same in both. */
static enum code_verdict match_targets(const struct side sides[2], uint64_t one, uint64_t other)
{
	struct code_place places[2];

	if (!code_image_place(sides[0].image, one, &places[0]) ||
	    !code_image_place(sides[1].image, other, &places[1]) ||
	    !are_alike(&places[0], &places[1]))
		return CODE_CHANGED;
	return places[0].kind == CODE_PLACE_SECTION ? CODE_DATA : CODE_MOVED;
}

static enum code_verdict match_reference(const struct side sides[2], size_t at)
{
	enum code_verdict verdict = match_targets(sides, relative_target(&sides[0], at),
						  relative_target(&sides[1], at));
	enum code_verdict absolute;

	if (at && calls_another(sides, at - 1))
		verdict = CODE_CALLS;
	if (verdict == CODE_MOVED || !sides[0].image->fixed || !sides[1].image->fixed)
		return verdict;
	absolute = match_targets(sides, absolute_target(&sides[0], at),
				 absolute_target(&sides[1], at));
	return absolute < verdict ? absolute : verdict;
}

/*
 * The reference that byte @at is in, which differs, from @first on: the best verdict, and in @next
 * where it ends. The lower bytes of a number differ first, so that it begins here most often.
 */
static enum code_verdict match_around(const struct side sides[2], size_t first, size_t at,
				      size_t size, size_t *next)
{
	enum code_verdict best = CODE_CHANGED, verdict;
	size_t back;

	for (back = 0; back < REFERENCE && back <= at - first; back++) {
		if (at - back + REFERENCE > size)
			continue;
		verdict = match_reference(sides, at - back);
		if (verdict < best) {
			best = verdict;
			*next = at - back + REFERENCE;
		}
	}
	return best;
}

/* A distance to other functions may be the same. */
static enum code_verdict match_calls(const struct side sides[2], size_t size)
{
	size_t at;

	for (at = 0; at + 1 + REFERENCE <= size; at++)
		if (calls_another(sides, at))
			return CODE_CALLS;
	return CODE_SAME;
}

static enum code_verdict match_bytes(const struct side sides[2], size_t size)
{
	enum code_verdict worst = match_calls(sides, size), verdict;
	size_t at = 0, first = 0, next = 0;

	while (at < size) {
		if (sides[0].bytes[at] == sides[1].bytes[at]) {
			at++;
			continue;
		}
		verdict = match_around(sides, first, at, size, &next);
		if (verdict == CODE_CHANGED)
			return verdict;
		if (verdict > worst)
			worst = verdict;
		at = first = next;
	}
	return worst;
}

enum code_verdict code_match(const struct code_image *before, const struct function *one,
			     const struct code_image *after, const struct function *other)
{
	const size_t size = (size_t)(one->end - one->start);
	const struct side sides[2] = {
		{ before, code_image_bytes(before, one->start, one->end), one->start },
		{ after, code_image_bytes(after, other->start, other->end), other->start },
	};

	if (size != other->end - other->start)
		return CODE_SIZE;
	if (!sides[0].bytes || !sides[1].bytes || before->machine != after->machine)
		return CODE_UNKNOWN;
	if (before->machine == EM_X86_64)
		return match_bytes(sides, size);
	return memcmp(sides[0].bytes, sides[1].bytes, size) ? CODE_BYTES : CODE_SAME;
}
