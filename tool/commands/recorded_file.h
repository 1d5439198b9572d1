/* SPDX-License-Identifier: GPL-2.0 */
/* Recorded file: what an operand is, by what is in it, whatever it is called. */
#ifndef TOOL_RECORDED_FILE_H
#define TOOL_RECORDED_FILE_H

enum recorded_kind {
	RECORDED_OTHER, /* or not to be seen without taking from it, as of a pipe */
	RECORDED_PERFDATA,
	RECORDED_LOG,
};

enum recorded_kind recorded_kind(const char *path);

#endif
