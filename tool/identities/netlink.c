// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink transport, and the only file that uses libnl, which finds the family, and makes and
 * parses messages. Receiving is done here, as nl_recv() hides a message's sender, and losses
 * (ENOBUFS).
 */

#include <errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink.h"

struct netlink {
	struct nl_sock *socket;
	int family;
	bool dumping; /* else subscribed */

	/* Position of netlink_next() in what was received. */
	struct nlmsghdr *message;
	int message_left;
	struct nlattr *attribute;
	int attribute_left;

	/* Attributes are aligned to 4 bytes, records to 8. */
	uint64_t record[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	union {
		struct nlmsghdr header;
		unsigned char bytes[64 * 1024];
	} buffer;
};

static int error_of(int nl_error)
{
	switch (nl_error < 0 ? -nl_error : nl_error) {
	case 0:
		return 0;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_OPNOTSUPP:
	case NLE_AF_NOSUPPORT:
	case NLE_PROTO_MISMATCH:
		return -EOPNOTSUPP;
	default:
		return -EIO;
	}
}

int netlink_open(struct netlink **netlink)
{
	struct netlink *new = calloc(1, sizeof(*new));
	int err;

	*netlink = NULL;
	if (!new)
		return -ENOMEM;
	new->socket = nl_socket_alloc();
	if (!new->socket) {
		free(new);
		return -ENOMEM;
	}

	err = genl_connect(new->socket);
	if (!err) {
		new->family = genl_ctrl_resolve(new->socket, BUILDID_GENL_NAME);
		err = new->family < 0 ? new->family : 0;
	}
	if (err) {
		netlink_close(new);
		err = error_of(err);
		return err == -ENOENT ? -ENODEV : err;
	}
	*netlink = new;
	return 0;
}

void netlink_close(struct netlink *netlink)
{
	if (!netlink)
		return;
	nl_socket_free(netlink->socket);
	free(netlink);
}

int netlink_fd(const struct netlink *netlink)
{
	return nl_socket_get_fd(netlink->socket);
}

static int netlink_receive(struct netlink *netlink, int flags)
{
	struct sockaddr_nl sender = { .nl_family = AF_NETLINK };
	socklen_t length = sizeof(sender);
	ssize_t size;

	do {
		size = recvfrom(netlink_fd(netlink), netlink->buffer.bytes, sizeof(netlink->buffer),
				flags | MSG_TRUNC, (struct sockaddr *)&sender, &length);
		if (size < 0)
			return errno == EWOULDBLOCK ? -EAGAIN : -errno;
		/* Any process may send to the socket; the kernel has port 0. */
	} while (sender.nl_pid);

	if ((size_t)size > sizeof(netlink->buffer))
		return -EMSGSIZE;
	netlink->message = &netlink->buffer.header;
	netlink->message_left = (int)size;
	netlink->attribute_left = 0;
	return 0;
}

/* -EAGAIN: no record in the rest of the message. */
static int next_in_message(struct netlink *netlink, const struct buildid_record **record)
{
	while (nla_ok(netlink->attribute, netlink->attribute_left)) {
		struct nlattr *attribute = netlink->attribute;
		size_t size = (size_t)nla_len(attribute);

		netlink->attribute = nla_next(attribute, &netlink->attribute_left);
		if (nla_type(attribute) != BUILDID_A_RECORD)
			continue;
		if (size > sizeof(netlink->record))
			return -EBADMSG;
		memcpy(netlink->record, nla_data(attribute), size);
		if (buildid_record_check(netlink->record, size))
			return -EBADMSG;
		*record = (const void *)netlink->record;
		return 0;
	}
	return -EAGAIN;
}

static int error_in(struct nlmsghdr *message)
{
	const struct nlmsgerr *error = nlmsg_data(message);

	if (nlmsg_datalen(message) < (int)sizeof(*error))
		return -EBADMSG;
	return error->error;
}

/* -ENODATA if the dump is complete. */
static int end_of_dump(struct nlmsghdr *message)
{
	int error = 0;

	if (nlmsg_datalen(message) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(message), sizeof(error));
	return error < 0 ? error : -ENODATA;
}

/* Go to the next message with attributes; -EAGAIN without one. */
static int next_message(struct netlink *netlink)
{
	while (nlmsg_ok(netlink->message, netlink->message_left)) {
		struct nlmsghdr *message = netlink->message;
		int err;

		netlink->message = nlmsg_next(message, &netlink->message_left);
		if (message->nlmsg_type == NLMSG_DONE)
			return end_of_dump(message);
		if (message->nlmsg_type == NLMSG_ERROR) {
			err = error_in(message);
			if (err)
				return err;
			continue;
		}
		if (message->nlmsg_type != netlink->family || !genlmsg_valid_hdr(message, 0))
			continue;
		netlink->attribute = genlmsg_attrdata(genlmsg_hdr(message), 0);
		netlink->attribute_left = genlmsg_attrlen(genlmsg_hdr(message), 0);
		return 0;
	}
	return -EAGAIN;
}

int netlink_next(struct netlink *netlink, const struct buildid_record **record)
{
	int err;

	for (;;) {
		if (netlink->attribute_left > 0) {
			err = next_in_message(netlink, record);
			if (err != -EAGAIN)
				return err;
			netlink->attribute_left = 0;
		}
		if (netlink->message_left > 0) {
			err = next_message(netlink);
			if (!err)
				continue;
			if (err != -EAGAIN)
				return err;
			netlink->message_left = 0;
		}
		err = netlink_receive(netlink, netlink->dumping ? 0 : MSG_DONTWAIT);
		if (err)
			return err;
	}
}

/* ------------------------------------------------------------- requests -- */

static struct nl_msg *message_new(const struct netlink *netlink, int flags, uint8_t command)
{
	struct nl_msg *message = nlmsg_alloc();

	if (message && !genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, netlink->family, 0, flags,
				    command, BUILDID_GENL_VERSION)) {
		nlmsg_free(message);
		return NULL;
	}
	return message;
}

/* @err: from adding the attributes. Frees @message. */
static int send_message(struct netlink *netlink, struct nl_msg *message, int err)
{
	if (!err)
		err = nl_send_auto(netlink->socket, message);
	nlmsg_free(message);
	return err < 0 ? error_of(err) : 0;
}

int netlink_dump(struct netlink *netlink, const struct netlink_filter *filter)
{
	struct nl_msg *message = message_new(netlink, NLM_F_DUMP, BUILDID_CMD_GET);
	int err = 0;

	if (!message)
		return -ENOMEM;
	if (filter && filter->by_device) {
		err |= nla_put_u32(message, BUILDID_A_DEV_MAJOR, filter->dev_major);
		err |= nla_put_u32(message, BUILDID_A_DEV_MINOR, filter->dev_minor);
	}
	if (filter && filter->by_kind)
		err |= nla_put_u32(message, BUILDID_A_KIND, filter->kind);
	err = send_message(netlink, message, err);
	netlink->dumping = !err;
	return err;
}

int netlink_subscribe(struct netlink *netlink, const struct buildid_options *options)
{
	struct nl_msg *message = message_new(netlink, 0, BUILDID_CMD_SUBSCRIBE);
	int err, on = 1;

	if (!message)
		return -ENOMEM;
	err = nla_put_u32(message, BUILDID_A_FLAGS, options->flags);
	err |= nla_put_u32(message, BUILDID_A_RING_SIZE, options->ring_size);
	err |= nla_put_u32(message, BUILDID_A_WATERMARK, options->watermark);
	if (options->nr_pids)
		err |= nla_put(message, BUILDID_A_PIDS,
			       (int)(options->nr_pids * sizeof(*options->pids)), options->pids);
	if (options->flags & BUILDID_SUB_UID)
		err |= nla_put_u32(message, BUILDID_A_UID, options->uid);
	if (options->flags & BUILDID_SUB_CGROUP)
		err |= nla_put_u32(message, BUILDID_A_CGROUP_FD, (uint32_t)options->cgroup_fd);

	/* The module's ring keeps what does not fit into the socket, and counts losses. */
	setsockopt(netlink_fd(netlink), SOL_NETLINK, NETLINK_NO_ENOBUFS, &on, sizeof(on));
	err = send_message(netlink, message, err);
	if (!err)
		err = netlink_receive(netlink, 0);
	if (err)
		return err;
	/* The reply; or already an event, which is left for netlink_next(). */
	if (netlink->message->nlmsg_type != NLMSG_ERROR)
		return 0;
	netlink->message_left = 0;
	return error_in(&netlink->buffer.header);
}
