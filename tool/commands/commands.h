/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands: each in a file of its own.
 *
 * argv[0] is the prefix of messages. Returns the exit status; --help and wrong usage exit.
 */
#ifndef TOOL_COMMANDS_H
#define TOOL_COMMANDS_H

int cmd_annotate(int argc, char **argv);
int cmd_bundle(int argc, char **argv);
int cmd_cookie(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_flush(int argc, char **argv);
int cmd_id(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_maps(int argc, char **argv);
int cmd_mon(int argc, char **argv);
int cmd_perf(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_resolve(int argc, char **argv);
int cmd_stale(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_store(int argc, char **argv);
int cmd_symbolize(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_unbundle(int argc, char **argv);
int cmd_users(int argc, char **argv);

#endif
