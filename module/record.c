// SPDX-License-Identifier: GPL-2.0
/*
 * Used by the hook and by ioctl callers: nothing here takes a lock or sleeps. Records go to user
 * space, so every byte is written, including padding.
 */
#include <linux/cred.h>
#include <linux/sched/signal.h>

#include "record.h"

/**
 * bid_entry_info() - the content of a FILE record for a cache entry
 * @entry: the entry, under RCU
 * @info: filled in; points into @entry
 *
 * The path is the stored one: that of the process that mapped the file first.
 */
void bid_entry_info(const struct bid_entry *entry, struct bid_file_info *info)
{
	*info = (struct bid_file_info){
		.file_id = entry->file_id,
		.key = &entry->key,
		.version = &entry->version,
		.user_ino = entry->user_ino,
		.user_dev = entry->user_dev,
		.flags = READ_ONCE(entry->flags) & BIT(BID_ENTRY_UNSTABLE) ?
				 BUILDID_FILE_UNSTABLE :
				 0,
		.kind = entry->kind,
		.reason = entry->reason,
		.id_len = entry->id_len,
		.id = entry->data,
		.path = {
			.name = bid_entry_path(entry),
			.len = entry->path_len,
			.flags = entry->path_flags,
		},
	};
}

static u32 padded_path(u32 len)
{
	return len ? ALIGN(len + 1, 8) : 0;
}

u32 bid_record_file_size(const struct bid_file_info *info)
{
	return sizeof(struct buildid_file) + ALIGN(info->id_len, 8) + padded_path(info->path.len);
}

/* Copy @len bytes and pad with zeros to @padded, a multiple of 8 and at most @len + 8. */
static void write_padded(u8 *to, const void *from, u32 len, u32 padded)
{
	if (padded)
		*(u64 *)(to + padded - 8) = 0;
	memcpy(to, from, len);
}

/**
 * bid_record_file_write() - write a FILE record, except for its header
 * @info: the record's content
 * @pid: the process whose path it has, in the reader's namespace; 0 for no particular process
 * @tid: the thread of that process, or 0
 * @record: bid_record_file_size() bytes
 */
void bid_record_file_write(const struct bid_file_info *info, u32 pid, u32 tid,
			   struct buildid_file *record)
{
	u32 id_padded = ALIGN(info->id_len, 8);
	u8 *data = (u8 *)(record + 1);

	record->file_id = info->file_id;
	record->ino = info->key->ino;
	record->user_ino = info->user_ino;
	record->tree = info->key->tree;
	record->dev_major = MAJOR(info->key->dev);
	record->dev_minor = MINOR(info->key->dev);
	record->user_dev_major = MAJOR(info->user_dev);
	record->user_dev_minor = MINOR(info->user_dev);
	record->generation = info->key->generation;
	record->flags = info->flags | info->path.flags;
	record->ctime = info->version->ctime;
	record->mtime = info->version->mtime;
	record->file_size = info->version->size;
	record->change = info->version->change;
	record->pid = pid;
	record->tid = tid;
	record->kind = info->kind;
	record->reason = info->reason;
	record->id_len = info->id_len;
	record->path_len = info->path.len;
	record->data_off = sizeof(*record);
	memset(record->reserved, 0, sizeof(record->reserved));
	write_padded(data, info->id, info->id_len, id_padded);
	write_padded(data + id_padded, info->path.name, info->path.len,
		     padded_path(info->path.len));
}

u32 bid_record_image_size(const struct bid_image_info *info)
{
	return sizeof(struct buildid_image) + ALIGN(info->id->len, 8) +
	       padded_path(strlen(info->name));
}

/**
 * bid_record_image_write() - write a KERNEL or MODULE record, except for its header
 * @info: the record's content
 * @addrs: the reader may see kernel addresses
 * @record: bid_record_image_size() bytes
 */
void bid_record_image_write(const struct bid_image_info *info, bool addrs,
			    struct buildid_image *record)
{
	u32 name_len = strlen(info->name);
	u32 id_padded = ALIGN(info->id->len, 8);
	u8 *data = (u8 *)(record + 1);

	record->addr = addrs ? info->addr : 0;
	record->len = info->len;
	record->flags = info->flags;
	record->reserved = 0;
	record->kind = info->id->kind;
	record->reason = info->id->reason;
	record->id_len = info->id->len;
	record->name_len = name_len;
	record->data_off = sizeof(*record);
	write_padded(data, info->id->bytes, info->id->len, id_padded);
	write_padded(data + id_padded, info->name, name_len, padded_path(name_len));
}

u32 bid_record_cookie_size(const struct bid_cookie_info *info)
{
	return sizeof(struct buildid_cookie) + ALIGN(info->id.len, 8);
}

/**
 * bid_record_cookie_write() - write a COOKIE record, except for its header
 * @info: the record's content
 * @task: a task of the process that has the mapping
 * @pid: process id of @task, in the reader's namespace
 * @tid: thread id of @task, in the reader's namespace
 * @record: bid_record_cookie_size() bytes
 */
void bid_record_cookie_write(const struct bid_cookie_info *info, const struct task_struct *task,
			     u32 pid, u32 tid, struct buildid_cookie *record)
{
	record->pid = pid;
	record->tid = tid;
	record->addr = info->start;
	record->len = info->end - info->start;
	record->start_time = bid_start_time(task);
	record->kind = info->id.kind;
	record->id_len = info->id.len;
	record->data_off = sizeof(*record);
	record->reserved = 0;
	bid_record_comm_write(record->comm, task->comm);
	write_padded((u8 *)(record + 1), info->id.bytes, info->id.len, ALIGN(info->id.len, 8));
}

/* The status that wait(2) will report for the process whose last thread this is. */
static u32 exit_code_of(const struct task_struct *task)
{
	const struct signal_struct *signal = task->signal;

	return signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code :
						   task->group_leader->exit_code;
}

/**
 * bid_record_task_write() - write a FORK, EXEC, COMM or EXIT record, except for its header
 * @info: the record's content
 * @pid: process id of the task, in the reader's namespace
 * @tid: thread id of the task, in the reader's namespace
 * @parent_pid: the parent, in the reader's namespace; 0 without a parent
 * @record: sizeof(*record) bytes
 */
void bid_record_task_write(const struct bid_task_info *info, u32 pid, u32 tid, u32 parent_pid,
			   struct buildid_task *record)
{
	struct task_struct *task = info->task;

	record->pid = pid;
	record->tid = tid;
	record->start_time = bid_start_time(task->tgid == current->tgid ? current : task);
	record->parent_pid = parent_pid;
	record->flags = info->flags;
	record->parent_start_time = info->parent ? bid_start_time(info->parent) : 0;
	record->cgroup_id = bid_cgroup_id(task);
	record->uid = from_kuid(&init_user_ns, task_uid(task));
	record->exit_code = info->type == BUILDID_RECORD_EXIT ? exit_code_of(task) : 0;
	bid_record_comm_write(record->comm, info->task->comm);
}
