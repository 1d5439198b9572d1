// SPDX-License-Identifier: GPL-2.0
#include "record.h"

/**
 * bid_facts_of() - what is known of an entry, without its path
 * @entry: under RCU
 * @facts: filled in; points into @entry
 */
void bid_facts_of(const struct bid_entry *entry, struct bid_facts *facts)
{
	const struct bid_text *text = rcu_dereference_check(entry->text, rcu_read_lock_any_held());
	u8 state = bid_entry_state(entry);

	*facts = (struct bid_facts){
		.file_id = entry->file_id,
		.key = &entry->key,
		.version = &entry->version,
		.user_ino = entry->user_ino,
		.user_dev = entry->user_dev,
	};
	if (READ_ONCE(entry->flags) & BID_ENTRY_UNSTABLE)
		facts->flags |= BUILDID_FILE_UNSTABLE;

	if (state == BUILDID_STATE_KNOWN) {
		facts->kind = entry->kind;
		facts->reason = entry->reason;
		facts->id = bid_entry_id(entry, &facts->id_len);
	} else {
		facts->reason = state == BUILDID_STATE_DEFERRED ? BUILDID_REASON_DEFERRED :
								  BUILDID_REASON_PENDING;
	}

	if (text && text->path_len) {
		facts->path.name = text->data + text->id_len;
		facts->path.len = text->path_len;
		facts->path.flags = text->path_flags;
	} else {
		facts->path.flags = BUILDID_FILE_NO_PATH;
	}
}

static u32 padded_path(u32 len)
{
	return len ? ALIGN(len + 1, 8) : 0;
}

u32 bid_facts_size(const struct bid_facts *facts)
{
	return sizeof(struct buildid_file) + ALIGN(facts->id_len, 8) + padded_path(facts->path.len);
}

/* @to is aligned to 8; @padded a multiple of 8 and at most 8 more than @len. */
static void write_padded(u8 *to, const void *from, u32 len, u32 padded)
{
	if (padded)
		*(u64 *)(to + padded - 8) = 0;
	memcpy(to, from, len);
}

/**
 * bid_facts_write() - lay out all of a FILE record but its header
 * @facts: what it says
 * @record: bid_facts_size() bytes
 */
void bid_facts_write(const struct bid_facts *facts, struct buildid_file *record)
{
	u32 id_padded = ALIGN(facts->id_len, 8);
	u8 *data = (u8 *)(record + 1);

	record->file_id = facts->file_id;
	record->ino = facts->key->ino;
	record->user_ino = facts->user_ino;
	record->dev_major = MAJOR(facts->key->dev);
	record->dev_minor = MINOR(facts->key->dev);
	record->user_dev_major = MAJOR(facts->user_dev);
	record->user_dev_minor = MINOR(facts->user_dev);
	record->generation = facts->key->generation;
	record->flags = facts->flags | facts->path.flags;
	record->ctime = facts->version->ctime;
	record->mtime = facts->version->mtime;
	record->file_size = facts->version->size;
	record->change = facts->version->change;
	record->kind = facts->kind;
	record->reason = facts->reason;
	record->id_len = facts->id_len;
	record->path_len = facts->path.len;
	record->data_off = sizeof(*record);
	memset(record->reserved, 0, sizeof(record->reserved));
	write_padded(data, facts->id, facts->id_len, id_padded);
	write_padded(data + id_padded, facts->path.name, facts->path.len,
		     padded_path(facts->path.len));
}

/* Found out when the first subscriber needs it. */
const struct bid_path *bid_mapping_path(struct bid_mapping *mapping)
{
	if (!mapping->path_known) {
		bid_file_path_quick(mapping->file, mapping->buf, PATH_MAX, &mapping->path);
		mapping->path_known = true;
	}
	return &mapping->path;
}

/**
 * bid_mapping_size() - bytes of an MMAP record
 * @path: in it, or NULL
 */
u32 bid_mapping_size(const struct bid_path *path)
{
	return sizeof(struct buildid_mmap) + (path ? padded_path(path->len) : 0);
}

/**
 * bid_mapping_write() - lay out all of an MMAP record but its header
 * @mapping: what it says
 * @task: whose it is
 * @pid: of @task, for the reader
 * @tid: likewise
 * @path: to go with it, or NULL
 * @record: bid_mapping_size() bytes
 */
void bid_mapping_write(const struct bid_mapping *mapping, const struct task_struct *task, u32 pid,
		       u32 tid, const struct bid_path *path, struct buildid_mmap *record)
{
	bid_mmap_write(record, pid, tid, mapping->start, mapping->end, mapping->pgoff,
		       mapping->vm_flags, mapping->file_id, mapping->state, task);
	if (!path)
		return;
	record->path_len = path->len;
	write_padded((u8 *)(record + 1), path->name, path->len, padded_path(path->len));
}

u32 bid_image_size(const struct bid_image_facts *facts)
{
	return sizeof(struct buildid_image) + ALIGN(facts->id->len, 8) +
	       padded_path(strlen(facts->name));
}

/**
 * bid_image_write() - lay out all of a KERNEL or MODULE record but its header
 * @facts: what it says
 * @addrs: the reader may know addresses in the kernel
 * @record: bid_image_size() bytes
 */
void bid_image_write(const struct bid_image_facts *facts, bool addrs, struct buildid_image *record)
{
	u32 name_len = strlen(facts->name);
	u32 id_padded = ALIGN(facts->id->len, 8);
	u8 *data = (u8 *)(record + 1);

	record->addr = addrs ? facts->addr : 0;
	record->len = facts->len;
	record->flags = facts->flags;
	record->reserved = 0;
	record->kind = facts->id->kind;
	record->reason = facts->id->reason;
	record->id_len = facts->id->len;
	record->name_len = name_len;
	record->data_off = sizeof(*record);
	write_padded(data, facts->id->bytes, facts->id->len, id_padded);
	write_padded(data + id_padded, facts->name, name_len, padded_path(name_len));
}

u32 bid_cookie_size(const struct bid_cookie_facts *facts)
{
	return sizeof(struct buildid_cookie) + ALIGN(facts->id.len, 8);
}

/**
 * bid_cookie_write() - lay out all of a COOKIE record but its header
 * @facts: what it says
 * @task: whose mapping it is
 * @pid: of @task, for the reader
 * @tid: likewise
 * @record: bid_cookie_size() bytes
 */
void bid_cookie_write(const struct bid_cookie_facts *facts, const struct task_struct *task, u32 pid,
		      u32 tid, struct buildid_cookie *record)
{
	record->pid = pid;
	record->tid = tid;
	record->addr = facts->start;
	record->len = facts->end - facts->start;
	record->start_time = bid_start_time(task);
	record->kind = facts->id.kind;
	record->id_len = facts->id.len;
	record->data_off = sizeof(*record);
	record->reserved = 0;
	bid_comm_write(record->comm, task->comm);
	write_padded((u8 *)(record + 1), facts->id.bytes, facts->id.len, ALIGN(facts->id.len, 8));
}

/**
 * bid_task_write() - lay out all of a FORK, EXEC or EXIT record but its header
 * @facts: what it says
 * @pid: of the task, for the reader
 * @tid: likewise
 * @parent_pid: likewise of the parent, 0 without
 * @record: sizeof(*record) bytes
 */
void bid_task_write(const struct bid_task_facts *facts, u32 pid, u32 tid, u32 parent_pid,
		    struct buildid_task *record)
{
	record->pid = pid;
	record->tid = tid;
	record->start_time = bid_start_time(facts->task);
	record->parent_pid = parent_pid;
	record->flags = facts->flags;
	record->parent_start_time = facts->parent ? bid_start_time(facts->parent) : 0;
	bid_comm_write(record->comm, facts->task->comm);
}
