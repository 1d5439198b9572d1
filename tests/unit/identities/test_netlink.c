// SPDX-License-Identifier: GPL-2.0
/* Netlink: what is asked of the family, and what of the answers is taken. */

#include <errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "streams.h"

#define FAMILY 77

static int fake_setsockopt(int fd, int level, int name, const void *value, socklen_t size);
static int fake_nl_send_auto(struct nl_sock *socket, struct nl_msg *message);
static ssize_t fake_recvfrom(int fd, void *buffer, size_t size, int flags, struct sockaddr *sender,
			     socklen_t *length);

#define genl_connect(socket)		((void)(socket), 0)
#define genl_ctrl_resolve(socket, name) ((void)(socket), (void)(name), FAMILY)
#define nl_socket_get_fd(socket)	((void)(socket), 100)
#define setsockopt(...)			fake_setsockopt(__VA_ARGS__)
#define nl_send_auto(...)		fake_nl_send_auto(__VA_ARGS__)
#define recvfrom(...)			fake_recvfrom(__VA_ARGS__)
#include "identities/netlink.c"
#undef recvfrom

static struct netlink *netlink;
static struct nl_msg *sent;

/* Datagrams to come, and who sends them: 0 is the kernel. */
static struct nl_msg *queue[8];
static uint32_t senders[8];
static size_t queued, received;

static int fake_setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	assert_int_equal(fd, 100);
	assert_int_equal(level, SOL_NETLINK);
	assert_int_equal(name, NETLINK_NO_ENOBUFS);
	assert_int_equal(size, sizeof(int));
	assert_int_equal(*(const int *)value, 1);
	return 0;
}

static int fake_nl_send_auto(struct nl_sock *socket, struct nl_msg *message)
{
	(void)socket;
	nlmsg_get(message);
	sent = message;
	return 0;
}

static ssize_t fake_recvfrom(int fd, void *buffer, size_t size, int flags, struct sockaddr *sender,
			     socklen_t *length)
{
	struct nlmsghdr *header;

	assert_int_equal(fd, 100);
	assert_int_equal(*length, sizeof(struct sockaddr_nl));
	if (received == queued) {
		/* For ever would be just that. */
		assert_true(flags & MSG_DONTWAIT);
		errno = EAGAIN;
		return -1;
	}
	header = nlmsg_hdr(queue[received]);
	assert_true(header->nlmsg_len <= size);
	memcpy(buffer, header, header->nlmsg_len);
	((struct sockaddr_nl *)sender)->nl_pid = senders[received++];
	return header->nlmsg_len;
}

static struct nl_msg *receive_next(void)
{
	assert_true(queued < 8);
	return queue[queued++] = nlmsg_alloc_size(2 * BUILDID_RECORD_MAX);
}

static void receive_answer(void)
{
	struct nl_msg *message = receive_next();

	genlmsg_put(message, 1, 1, FAMILY, 0, 0, BUILDID_CMD_SUBSCRIBE, BUILDID_GENL_VERSION);
	nla_put_u32(message, BUILDID_A_RING_SIZE, 1 << 20);
}

static void receive_error(int error)
{
	const struct nlmsgerr body = { .error = error };

	memcpy(nlmsg_data(nlmsg_put(receive_next(), 1, 1, NLMSG_ERROR, sizeof(body), 0)), &body,
	       sizeof(body));
}

static void receive_events(uint32_t first_pid, int count)
{
	struct nl_msg *message = receive_next();
	union any_record record;

	genlmsg_put(message, 1, 0, FAMILY, 0, 0, BUILDID_CMD_EVENT, BUILDID_GENL_VERSION);
	while (count--) {
		make_mmap(&record, 1, 0, first_pid++);
		nla_put(message, BUILDID_A_RECORD, (int)record.header.size, &record);
	}
}

static void assert_event(uint32_t pid)
{
	const struct buildid_record *record;

	assert_int_equal(netlink_next(netlink, &record), 0);
	assert_int_equal(record->type, BUILDID_RECORD_MMAP);
	assert_int_equal(((const struct buildid_mmap *)record)->pid, pid);
}

static void assert_error(int error)
{
	const struct buildid_record *record;

	assert_int_equal(netlink_next(netlink, &record), error);
}

static int set_up(void **state)
{
	(void)state;
	queued = received = 0;
	memset(senders, 0, sizeof(senders));
	return netlink_open(&netlink);
}

static int tear_down(void **state)
{
	(void)state;
	netlink_close(netlink);
	nlmsg_free(sent);
	sent = NULL;
	while (queued)
		nlmsg_free(queue[--queued]);
	return 0;
}

static const struct buildid_options everything = { .size = sizeof(everything) };

static void every_option_is_asked_for(void **state)
{
	static const uint32_t pids[] = { 3, 5 };
	const struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_UID | BUILDID_SUB_CGROUP,
		.ring_size = 65536,
		.watermark = 100,
		.pids = pids,
		.nr_pids = 2,
		.uid = 0,
		.cgroup_fd = 9,
	};
	struct nlattr *attributes[BUILDID_A_CGROUP_FD + 1];
	struct genlmsghdr *header;

	(void)state;
	receive_answer();
	assert_int_equal(netlink_subscribe(netlink, &options), 0);
	header = genlmsg_hdr(nlmsg_hdr(sent));
	assert_int_equal(nlmsg_hdr(sent)->nlmsg_type, FAMILY);
	assert_int_equal(header->cmd, BUILDID_CMD_SUBSCRIBE);
	assert_int_equal(nla_parse(attributes, BUILDID_A_CGROUP_FD, genlmsg_attrdata(header, 0),
				   genlmsg_attrlen(header, 0), NULL),
			 0);
	assert_int_equal(nla_get_u32(attributes[BUILDID_A_FLAGS]), options.flags);
	assert_int_equal(nla_get_u32(attributes[BUILDID_A_RING_SIZE]), 65536);
	assert_int_equal(nla_get_u32(attributes[BUILDID_A_WATERMARK]), 100);
	assert_int_equal(nla_get_u32(attributes[BUILDID_A_UID]), 0);
	assert_int_equal(nla_get_u32(attributes[BUILDID_A_CGROUP_FD]), 9);
	assert_int_equal(nla_len(attributes[BUILDID_A_PIDS]), sizeof(pids));
	assert_memory_equal(nla_data(attributes[BUILDID_A_PIDS]), pids, sizeof(pids));
}

static void a_dump_is_filtered_by_the_kernel(void **state)
{
	const struct netlink_filter filter = {
		.by_device = true,
		.dev_major = 8,
		.dev_minor = 1,
		.by_kind = true,
		.kind = BUILDID_KIND_NONE,
	};
	struct nlattr *attributes[BUILDID_A_KIND + 1];
	struct genlmsghdr *header;

	(void)state;
	assert_int_equal(netlink_dump(netlink, &filter), 0);
	header = genlmsg_hdr(nlmsg_hdr(sent));
	assert_int_equal(header->cmd, BUILDID_CMD_GET);
	assert_int_equal(nlmsg_hdr(sent)->nlmsg_flags & NLM_F_DUMP, NLM_F_DUMP);
	assert_int_equal(nla_parse(attributes, BUILDID_A_KIND, genlmsg_attrdata(header, 0),
				   genlmsg_attrlen(header, 0), NULL),
			 0);
	assert_int_equal(nla_get_u32(attributes[BUILDID_A_DEV_MAJOR]), 8);
	assert_int_equal(nla_get_u32(attributes[BUILDID_A_DEV_MINOR]), 1);
	assert_int_equal(nla_get_u32(attributes[BUILDID_A_KIND]), BUILDID_KIND_NONE);
	nlmsg_free(sent);
	sent = NULL;
	assert_int_equal(netlink_dump(netlink, NULL), 0);
	assert_int_equal(genlmsg_attrlen(genlmsg_hdr(nlmsg_hdr(sent)), 0), 0);
}

static void a_refusal_is_reported(void **state)
{
	(void)state;
	receive_error(-EPERM);
	assert_int_equal(netlink_subscribe(netlink, &everything), -EPERM);
}

static void events_follow_the_answer(void **state)
{
	(void)state;
	receive_answer();
	receive_events(1, 3);
	receive_events(4, 1);
	assert_int_equal(netlink_subscribe(netlink, &everything), 0);
	assert_event(1);
	assert_event(2);
	assert_event(3);
	assert_event(4);
	assert_error(-EAGAIN);
}

static void an_event_before_the_answer_is_not_lost(void **state)
{
	(void)state;
	receive_events(1, 2);
	receive_answer();
	receive_events(3, 1);
	assert_int_equal(netlink_subscribe(netlink, &everything), 0);
	assert_event(1);
	assert_event(2);
	assert_event(3);
	assert_error(-EAGAIN);
}

static void only_the_kernel_is_listened_to(void **state)
{
	(void)state;
	senders[1] = 4711;
	receive_answer();
	receive_events(1, 1);
	receive_events(2, 1);
	assert_int_equal(netlink_subscribe(netlink, &everything), 0);
	assert_event(2);
	assert_error(-EAGAIN);
}

static void a_record_that_contradicts_itself_is_refused(void **state)
{
	union any_record record;

	(void)state;
	receive_answer();
	genlmsg_put(receive_next(), 1, 0, FAMILY, 0, 0, BUILDID_CMD_EVENT, BUILDID_GENL_VERSION);
	make_file(&record, 1, 20, 0, "/path");
	record.file.path_len = 4000;
	nla_put(queue[1], BUILDID_A_RECORD, (int)record.header.size, &record);
	assert_int_equal(netlink_subscribe(netlink, &everything), 0);
	assert_error(-EBADMSG);
	assert_error(-EAGAIN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_option_is_asked_for),
		TEST(a_dump_is_filtered_by_the_kernel),
		TEST(a_refusal_is_reported),
		TEST(events_follow_the_answer),
		TEST(an_event_before_the_answer_is_not_lost),
		TEST(only_the_kernel_is_listened_to),
		TEST(a_record_that_contradicts_itself_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
