// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink family, by raw messages: good requests, and such whose attributes or lengths are
 * not; answers and events, each attribute of them.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "fuzz.h"

static uint16_t family;

/* ---------------------------------------------------------------------- messages -- */

struct message {
	union {
		struct nlmsghdr header;
		uint8_t bytes[2048];
	};
	size_t len;
};

static void put(struct message *message, const void *data, size_t size)
{
	memcpy(message->bytes + message->len, data, size);
	message->len += size;
}

static void put_attr(struct message *message, uint16_t type, const void *data, size_t size)
{
	const struct nlattr attr = { .nla_len = (uint16_t)(sizeof(attr) + size), .nla_type = type };

	put(message, &attr, sizeof(attr));
	put(message, data, size);
	message->len = NLMSG_ALIGN(message->len);
}

static void put_u32(struct message *message, uint16_t type, uint32_t value)
{
	put_attr(message, type, &value, sizeof(value));
}

static void begin(struct message *message, uint8_t command, uint16_t flags, uint32_t seq)
{
	const struct genlmsghdr genl = { .cmd = command, .version = BUILDID_GENL_VERSION };

	memset(message, 0, sizeof(*message));
	message->header = (struct nlmsghdr){
		.nlmsg_type = family,
		.nlmsg_flags = NLM_F_REQUEST | flags,
		.nlmsg_seq = seq,
	};
	message->len = sizeof(message->header);
	put(message, &genl, sizeof(genl));
}

static const struct buildid_file *some_file(struct fuzz *f)
{
	static const struct buildid_file none = { .ino = 1 };
	unsigned int n = f->nr_keys < KEYS ? f->nr_keys : KEYS;

	return n ? &f->keys[below(f, n)] : &none;
}

static void put_get(struct fuzz *f, struct message *message)
{
	const struct buildid_file *file = some_file(f);

	put_u32(message, BUILDID_A_DEV_MAJOR, file->dev_major);
	put_u32(message, BUILDID_A_DEV_MINOR, file->dev_minor);
	put_attr(message, BUILDID_A_INO, &file->ino, sizeof(file->ino));
	if (one_in(f, 3))
		put_u32(message, BUILDID_A_GENERATION, file->generation);
	if (one_in(f, 8))
		put_attr(message, BUILDID_A_TREE, &file->ino, sizeof(file->ino));
}

static void put_filter(struct fuzz *f, struct message *message)
{
	const struct buildid_file *file = some_file(f);

	if (one_in(f, 2))
		put_u32(message, BUILDID_A_KIND, below(f, 6));
	if (one_in(f, 2)) {
		put_u32(message, BUILDID_A_DEV_MAJOR, file->dev_major);
		put_u32(message, BUILDID_A_DEV_MINOR, file->dev_minor);
	}
}

static void put_subscription(struct fuzz *f, struct message *message)
{
	const uint32_t pids[] = { (uint32_t)getpid(), (uint32_t)getppid(), 1 };

	if (one_in(f, 2))
		put_u32(message, BUILDID_A_FLAGS, below(f, 8));
	if (one_in(f, 2))
		put_u32(message, BUILDID_A_RING_SIZE, 16384U << below(f, 4));
	if (one_in(f, 4))
		put_u32(message, BUILDID_A_WATERMARK, below(f, 16384));
	if (!one_in(f, 4))
		put_attr(message, BUILDID_A_PIDS, pids, sizeof(*pids) * (1 + below(f, 3)));
}

/* Of any type, length and content; the length may be wrong. */
static void put_odd(struct fuzz *f, struct message *message)
{
	uint8_t data[300];
	uint16_t len = (uint16_t)(one_in(f, 2) ? below(f, 9) : below(f, sizeof(data)));
	uint64_t value = odd_number(f);
	size_t at = message->len;

	memset(data, 0, sizeof(data));
	memcpy(data, &value, sizeof(value));
	put_attr(message,
		 (uint16_t)(below(f, BUILDID_A_TREE + 3) | (one_in(f, 8) ? below(f, 4) << 14 : 0)),
		 data, len);
	if (one_in(f, 4)) {
		len = (uint16_t)odd_number(f);
		memcpy(message->bytes + at, &len, sizeof(len));
	}
}

/* A bit, an attribute too many, an end too early, a header that lies. */
static void spoil(struct fuzz *f, struct message *message)
{
	size_t body = sizeof(struct nlmsghdr) + sizeof(struct genlmsghdr);

	switch (below(f, 6)) {
	case 0:
		put_odd(f, message);
		break;
	case 1:
		message->bytes[body + below(f, (uint32_t)(message->len - body) + 8)] ^=
			(uint8_t)(1 << below(f, 8));
		break;
	case 2:
		message->len -= below(f, (uint32_t)(message->len - 20) + 4);
		break;
	case 3:
		message->bytes[sizeof(struct nlmsghdr) + below(f, 4)] = (uint8_t)number(f);
		break;
	case 4:
		message->header.nlmsg_flags ^= (uint16_t)(1 << below(f, 12));
		break;
	default:
		message->header.nlmsg_len = (uint32_t)odd_number(f);
	}
}

/* ----------------------------------------------------------------------- answers -- */

static void check_attr(struct fuzz *f, struct stream *stream, bool event, const struct nlattr *attr)
{
	static __thread uint64_t copy[BUILDID_RECORD_MAX / 8];
	size_t len = attr->nla_len - sizeof(*attr);
	uint32_t size;

	switch (attr->nla_type) {
	case BUILDID_A_PAD:
		if (len)
			finding(f, "PAD of %zu", len);
		break;
	case BUILDID_A_RING_SIZE:
		memcpy(&size, attr + 1, sizeof(size));
		if (len != sizeof(size) || size < 2 * BUILDID_RECORD_MAX || size & (size - 1))
			finding(f, "RING_SIZE %u of %zu", size, len);
		break;
	case BUILDID_A_RECORD:
		if (len > sizeof(copy)) {
			finding(f, "RECORD of %zu", len);
			return;
		}
		memcpy(copy, attr + 1, len);
		__atomic_add_fetch(&counts->netlink_records, 1, __ATOMIC_RELAXED);
		if (event)
			check_stream(f, stream, copy, len);
		else if (check_record(f, copy, len) != len && !stop)
			finding(f, "a record in %zu", len);
		break;
	default:
		finding(f, "attribute %u", attr->nla_type);
	}
}

static void check_attrs(struct fuzz *f, struct stream *stream, bool event, const uint8_t *at,
			size_t size)
{
	while (size && !stop) {
		const struct nlattr *attr = (const void *)at;
		size_t padded = NLA_ALIGN(attr->nla_len), i;

		if (size < sizeof(*attr) || attr->nla_len < sizeof(*attr) || padded > size) {
			finding(f, "attribute of %u in %zu", attr->nla_len, size);
			return;
		}
		check_attr(f, stream, event, attr);
		for (i = attr->nla_len; i < padded; i++)
			if (at[i])
				finding(f, "padding of attribute %u", attr->nla_type);
		at += padded;
		size -= padded;
	}
}

static bool is_good_error(const struct fuzz *f, int error)
{
	switch (error) {
	case 0:
	case ENOENT:
	case EINVAL:
	case ERANGE: /* what an attribute of another length gives, by the core */
	case EOPNOTSUPP:
	case EBUSY:
	case ESRCH:
	case EBADF:
	case EUSERS:
		return true;
	case EPERM:
		return options.unprivileged;
	case ENOMEM:
	case ENOBUFS: /* or the socket is full of what another thread has asked for */
		/* the thread that asked may be another one */
		return f->failed || options.racing;
	default:
		return false;
	}
}

/* Returns false unless it is the answer to request @seq; then *@error is set. */
static bool check_message(struct fuzz *f, struct stream *stream, const struct nlmsghdr *header,
			  uint32_t seq, int *error)
{
	const struct genlmsghdr *genl = NLMSG_DATA(header);
	bool event;

	if (header->nlmsg_type == NLMSG_ERROR || header->nlmsg_type == NLMSG_DONE) {
		int got = -*(const int *)NLMSG_DATA(header);

		if (!is_good_error(f, got))
			finding(f, "%s, which the header does not have", strerrorname_np(got));
		*error = got;
		return header->nlmsg_seq == seq;
	}
	if (header->nlmsg_type != family || header->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN)) {
		finding(f, "a message of type %u with %u bytes", header->nlmsg_type,
			header->nlmsg_len);
		return false;
	}
	event = genl->cmd == BUILDID_CMD_EVENT;
	if ((!event && genl->cmd != BUILDID_CMD_GET && genl->cmd != BUILDID_CMD_SUBSCRIBE) ||
	    genl->version != BUILDID_GENL_VERSION || genl->reserved)
		finding(f, "command %u, version %u", genl->cmd, genl->version);
	/* the first event has seq 1 */
	if (genl->cmd == BUILDID_CMD_SUBSCRIBE)
		*stream = (struct stream){ .subscribed = true, .known = true };
	check_poison(f, header, header->nlmsg_len, "message");
	check_attrs(f, stream, event, (const uint8_t *)genl + GENL_HDRLEN,
		    header->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN));
	return false;
}

/* All that is there; returns whether the request was answered, and how. */
static bool receive(struct fuzz *f, unsigned int n, uint32_t seq, int *error)
{
	static __thread uint64_t buffer[(32 << 10) / 8];
	bool answered = false;
	ssize_t len;

	while (!stop) {
		const struct nlmsghdr *header = (const void *)buffer;

		len = recv(SOCKET_FD + (int)n, buffer, sizeof(buffer), MSG_DONTWAIT | MSG_TRUNC);
		if (len < 0)
			break;
		if (len > (ssize_t)sizeof(buffer)) {
			finding(f, "a datagram of %zd", len);
			break;
		}
		for (; NLMSG_OK(header, len); header = NLMSG_NEXT(header, len))
			answered |= check_message(f, &f->sockets[n], header, seq, error);
	}
	return answered;
}

/* ---------------------------------------------------------------------- requests -- */

static enum kind make_request(struct fuzz *f, struct message *message, uint32_t seq)
{
	switch (below(f, 12)) {
	case 0:
		begin(message, BUILDID_CMD_GET, NLM_F_DUMP, seq);
		put_filter(f, message);
		return DUMP;
	case 1:
	case 2:
	case 3:
		begin(message, BUILDID_CMD_SUBSCRIBE, NLM_F_ACK, seq);
		put_subscription(f, message);
		return LISTEN;
	case 4:
	case 5:
	case 6:
		begin(message, (uint8_t)(one_in(f, 2) ? below(f, 5) : number(f)),
		      one_in(f, 2) ? NLM_F_ACK : NLM_F_DUMP, seq);
		while (message->len < 1500 && !one_in(f, 3))
			put_odd(f, message);
		return OTHER_MESSAGE;
	default:
		begin(message, BUILDID_CMD_GET, NLM_F_ACK, seq);
		put_get(f, message);
		return GET;
	}
}

static void check_answer(struct fuzz *f, enum kind kind, bool spoiled, bool was_subscribed,
			 bool answered, int error)
{
	bool sure = !spoiled && !options.racing && !f->failed && kind != OTHER_MESSAGE;

	if (sure && !answered)
		finding(f, "no answer");
	if (options.racing || !answered)
		return;
	if (options.unprivileged && !error && kind != OTHER_MESSAGE && !spoiled)
		finding(f, "succeeded without the right to it");
	if (!sure || options.unprivileged)
		return;
	if (kind == DUMP   ? error :
	    kind == LISTEN ? error != (was_subscribed ? EBUSY : 0) :
			     error && error != ENOENT)
		finding(f, "%s for a good request", strerrorname_np(error));
}

void fuzz_netlink(struct fuzz *f)
{
	static _Atomic uint32_t last_seq;
	unsigned int n = below(f, SOCKETS);
	bool spoiled = one_in(f, 3), was_subscribed, answered;
	uint32_t seq = ++last_seq;
	struct message message;
	enum kind kind;
	int error = 0;
	ssize_t sent;

	kind = make_request(f, &message, seq);
	message.header.nlmsg_len = (uint32_t)message.len;
	if (spoiled)
		spoil(f, &message);
	snprintf(f->what, sizeof(f->what), "netlink message of %zu, command %u, flags %#x",
		 message.len, message.bytes[NLMSG_HDRLEN], message.header.nlmsg_flags);
	receive(f, n, 0, &error);
	was_subscribed = f->sockets[n].subscribed;
	begin_faults(f);
	sent = send(SOCKET_FD + (int)n, &message, message.len, 0);
	end_faults(f);
	answered = receive(f, n, seq, &error);
	errno = sent < 0 ? errno : answered ? error : ENOMSG;
	count_call(kind, sent < 0 || !answered || error ? -1 : 0);
	if (sent >= 0)
		check_answer(f, kind, spoiled, was_subscribed, answered, error);
}

/* ----------------------------------------------------------------------- sockets -- */

static int make_socket(void)
{
	const struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&any, sizeof(any)))
		err(1, "netlink");
	return fd;
}

void open_socket(struct fuzz *f, unsigned int n)
{
	int fd = make_socket(), to = SOCKET_FD + (int)n;

	f->sockets[n] = (struct stream){};
	if (dup3(fd, to, O_CLOEXEC) != to)
		err(1, "dup3");
	close(fd);
}

bool find_family(void)
{
	struct message message;
	uint8_t answer[4096];
	const struct nlattr *attr = (const void *)(answer + NLMSG_LENGTH(GENL_HDRLEN));
	int fd = make_socket();
	ssize_t len;

	family = GENL_ID_CTRL;
	begin(&message, CTRL_CMD_GETFAMILY, 0, 0);
	put_attr(&message, CTRL_ATTR_FAMILY_NAME, BUILDID_GENL_NAME, sizeof(BUILDID_GENL_NAME));
	message.header.nlmsg_len = (uint32_t)message.len;
	if (send(fd, &message, message.len, 0) < 0)
		err(1, "netlink");
	len = recv(fd, answer, sizeof(answer), 0);
	close(fd);
	for (; (const uint8_t *)(attr + 1) < answer + len && attr->nla_len >= sizeof(*attr);
	     attr = (const void *)((const uint8_t *)attr + NLA_ALIGN(attr->nla_len))) {
		if (attr->nla_type == CTRL_ATTR_FAMILY_ID) {
			memcpy(&family, attr + 1, sizeof(family));
			return true;
		}
	}
	return false;
}
