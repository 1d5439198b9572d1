/* SPDX-License-Identifier: GPL-2.0 */
/* Notes that ld does not make. */

.macro note owner, type
	.balign 4
	.long 4, 2f - 1f, \type
	.ascii "\owner"
1:
.endm

#ifdef GO_NOTE
	.section .note.go.buildid, "a", %note
	note "Go\0\0", 4
	.ascii "actionid/contentid/contentid/actionid"
2:
	.balign 4
#endif

#ifdef LONG_NOTE
	.section .note.long, "a", %note
	note "GNU\0", 3
	.fill 83, 1, 0xa5
2:
	.balign 4
#endif

/* Not loaded, so no segment covers it. */
#ifdef SECTION_NOTE
	.section .note.loose, "", %note
	note "GNU\0", 3
	.fill 20, 1, 0x5c
2:
#endif

	.section .note.GNU-stack, "", %progbits
