#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/vm finds a guest good only if the guest says so and its kernel reported nothing. The
# emulator is not real: it writes a kernel's log and a verdict that are given.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

mkdir -p "$work"/{bin,tree/scripts,tree/build,kernel/lib/modules}
cp scripts/vm scripts/guest-init "$work/tree/scripts/"
cd "$work" || exit
touch kernel/vmlinuz
echo none-1 > kernel/release
export BUILDID_CACHE=$work/cache PATH=$work/bin:$PATH given=$work/given
cat > bin/qemu-system-x86_64 << 'EOT'
#!/bin/bash
run=$(grep -o 'vm\.run=[^ ]*' <<< "$*")
cat "$given.log" > "${run#*=}/kernel.log"
if [[ -e $given.first ]]; then
	mv "$given.first" "${run#*=}/kernel.log"
fi
cat "$given.verdict" > "${run#*=}/verdict"
echo printed > "${run#*=}/out"
[[ ! -e $given.hangs ]] || exec sleep 100
EOT
printf '#!/bin/sh\n' > bin/modprobe
chmod +x bin/*

# guest STATUS LOG [VERDICT]: with this log and verdict scripts/vm ends with STATUS.
# shellcheck disable=SC2317	# ok calls what follows
guest() {
	local status=0

	printf '%s\n' '[    1.000000] Linux version' "$2" '[    9.000000] reboot: Power down' > given.log
	echo "${3:-exit 0}" | grep -vx none > given.verdict
	tree/scripts/vm --kernel "$work/kernel" --no-module --timeout "${timeout:-100}" -- true \
		< /dev/null > out 2> err || status=$?
	cat err
	[[ $status -eq $1 ]] || { echo "exit status $status, not $1"; return 1; }
}
# shellcheck disable=SC2317
says() { guest "${@:2}" && grep -qF "$1" err; }

# shellcheck disable=SC2317
prints() { guest 0 "" && grep -qx printed out; }
ok "a guest that says that all is well, and a kernel that says nothing: 0, and its output" prints
ok "the exit status is the command's" guest 3 "" "exit 3"
ok "what the guest says instead of a status is a fault" \
	says "buildid cannot be unloaded" 124 "" "buildid cannot be unloaded"
ok "a guest that says nothing has failed" says "no verdict from the guest" 125 "" none
touch given.hangs
ok "one that takes too long, too" eval 'timeout=1 says "timed out after 1 s" 125 "" none'
rm given.hangs

long=$(printf '%s\n' "BUG: one" "its stack" && seq -f 'line %.0f' 100000)
ok "what follows a fault is printed, however much does" says "its stack" 124 "$long"

# Each of these is found by one pattern only.
while IFS= read -r line; do
	ok "fails: $line" says "the kernel reported: [    2.000000] $line" 124 "[    2.000000] $line"
done << 'EOT'
BUG: kernel NULL pointer dereference, address: 0000000000000008
WARNING: CPU: 1 PID: 77 at kernel/workqueue.c:1 __queue_work+0x1/0x2
Oops: 0000 [#1] PREEMPT SMP
Kernel panic - not syncing: Fatal exception
general protection fault, probably for non-canonical address 0xdead000000000100
Call Trace:
Call trace:
kernel BUG at mm/slub.c:448!
UBSAN: shift-out-of-bounds in lib/bitmap.c:1:2
KASAN: maybe wild-memory-access in range [0xdead000000000100-0xdead000000000107]
INFO: task umount:88 blocked for more than 120 seconds.
INFO: trying to register non-static key.
rcu: INFO: rcu_preempt self-detected stall on CPU
rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-... }
include/linux/fdtable.h:1 suspicious RCU usage
possible circular locking dependency detected
possible recursive locking detected
possible irq lock inversion dependency detected
inconsistent lock state
bad unlock balance detected!
sleeping function called from invalid context at kernel/locking/mutex.c:580
scheduling while atomic: cat/99/0x00000002
ODEBUG: free active (active state 0) object type: timer_list hint: f+0x0/0x1
ODEBUG: Out of memory. ODEBUG disabled
list_add corruption. prev->next should be next
list_del corruption, ffff888004b4d000->next is LIST_POISON1
refcount_t: underflow; use-after-free.
kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
kmemleak: Kernel memory leak detector disabled
Out of memory: Killed process 99 (python3)
EOT
ok "a fault counts, whatever the guest says" \
	says "the kernel reported" 124 "refcount_t: saturated" "exit 1"
# shellcheck disable=SC2317
tells_no_return() { guest 124 "inconsistent lock state"$'\r' && ! grep -q $'\r' err; }
ok "a carriage return of the serial line is not told" tells_no_return

echo "Oops: int3: 0000 [#1] PREEMPT SMP" > given.first
ok "a kernel that stumbled over a breakpoint while it booted boots once more" \
	says "the emulator failed to change code as the kernel booted; once more" 0 ""
printf '%s\n' "scripts/vm: the root is mounted" "Oops: int3: 0000 [#1] PREEMPT SMP" > given.first
ok "but not once the root is mounted" says "the kernel reported: Oops: int3" 124 ""

echo CONFIG_PREEMPT_RT=y > kernel/config
ok "on PREEMPT_RT ODEBUG may give up, and it is told" \
	says "not taken for a fault: ODEBUG: Out of memory" 0 "ODEBUG: Out of memory. ODEBUG disabled"
ok "but find nothing" guest 124 "$(printf '%s\n' "ODEBUG: Out of memory. ODEBUG disabled" \
	"ODEBUG: free active (active state 0) object type: timer_list")"
rm kernel/config

# race FRAME FRAME: the report of a data race between two accesses, with these innermost frames.
race() {
	cat <<- EOT
	==================================================================
	BUG: KCSAN: data-race in one / other

	write to 0xffff888004b4d000 of 8 bytes by task 99 on cpu 0:
	 $1
	 do_syscall_64+0x3d/0x90

	read to 0xffff888004b4d000 of 8 bytes by interrupt on cpu 1:
	 $2
	 buildid_hook+0x10/0x100 [buildid]
	 do_syscall_64+0x3d/0x90

	Reported by Kernel Concurrency Sanitizer on:
	CPU: 1 PID: 98 Comm: cat
	==================================================================
	EOT
}
ok "a data race of others is left out, although the module is in a stack" \
	guest 0 "$(race "tick_sched_timer+0x1/0x2" "update_process_times+0x3/0x4")"
ok "one of which an access is the module's is not" \
	guest 124 "$(race "update_process_times+0x3/0x4" "ring_write+0x1/0x2 [buildid]")"
ok "nor one of a helper that the module called" \
	guest 124 "$(race "update_process_times+0x3/0x4" "memcpy+0x1/0x2")"
ok "what follows a race of others is read" \
	guest 124 "$(race "a+0x1/0x2" "b+0x3/0x4"; echo "inconsistent lock state")"
ok "a report of another kind between such lines is read" guest 124 "$(race "a+0x1/0x2" "b+0x3/0x4" |
	sed 's/BUG: KCSAN: data-race/BUG: KASAN: slab-use-after-free/')"
ok "so is one that does not end" guest 124 "$(race "a+0x1/0x2 [buildid]" "b+0x3/0x4" | head -n -1)"

finish
