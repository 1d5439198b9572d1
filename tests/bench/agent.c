// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "agent.h"
#include "measure.h"

static struct {
	struct bpf_object *object;
	struct bpf_link *link;
	struct ring_buffer *ring;
	struct tally tally;
} agent;

static int take_record(void *context, void *data, size_t size)
{
	const struct agent_record *record = data;

	if (record->id_len) {
		agent.tally.records++;
		agent.tally.bytes += size;
		agent.tally.sum += record->addr + record->id[0];
	}
	return 0;
}

/* The youngest of what it calls. */
static bool kernel_has_dynptrs_of_files(void)
{
	char line[256];
	bool found = false;
	FILE *file = fopen("/proc/kallsyms", "r");

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, " bpf_dynptr_from_file\n") != NULL;
	if (file)
		fclose(file);
	return found;
}

bool agent_start(const char *dir)
{
	char path[256];
	struct bpf_program *program;

	if (!kernel_has_dynptrs_of_files())
		return false;
	snprintf(path, sizeof(path), "%s/agent.bpf.o", dir);
	agent.object = bpf_object__open(path);
	if (!agent.object || bpf_object__load(agent.object))
		die("%s: not loaded", path);
	program = bpf_object__next_program(agent.object, NULL);
	agent.link = bpf_program__attach(program);
	agent.ring = ring_buffer__new(bpf_object__find_map_fd_by_name(agent.object, "ring"),
				      take_record, NULL, NULL);
	if (!agent.link || !agent.ring)
		die("%s: not attached", path);
	return true;
}

void agent_stop(void)
{
	ring_buffer__free(agent.ring);
	bpf_link__destroy(agent.link);
	bpf_object__close(agent.object);
}

struct tally agent_drain(void)
{
	agent.tally = (struct tally){ 0 };
	if (ring_buffer__consume(agent.ring) < 0)
		die("the ring of the BPF agent");
	return agent.tally;
}
