// SPDX-License-Identifier: GPL-2.0

// A recorder without libbuildid and without cgo: reads the mapped ring of /dev/buildid, and prints
// what is mapped executable from now on, as examples/mappings.c does: a line of JSON for each
// mapping, and one for each file. include/uapi/buildid.h is the manual of all that it reads.
//
//	CGO_ENABLED=0 go build mappings.go
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	device     = "/dev/buildid"
	abiVersion = 2

	recordFile = 1
	recordMmap = 2
	recordLost = 6
	recordBusy = 0x80000000

	headerSize = 32

	// _IOWR(0xbd, NR, struct): the sizes are those of info and subscribe below.
	iocSubscribe = 3<<30 | 48<<16 | 0xbd<<8 | 3

	pollIn  = 1
	pollErr = 8
)

var (
	order = binary.LittleEndian // of amd64 and arm64, as of the records
	kinds = []string{"none", "gnu", "go", "htlhash", "fsverity", "cookie"}
)

// struct buildid_subscribe
type subscribe struct {
	size, flags, ringSize, watermark uint32
	pids                             uint64
	nrPids, uid                      uint32
	cgroupFd                         int32
	reserved                         uint32
}

type ring struct {
	fd       int
	consumer *uint64 // where this reader is
	producer *uint64 // where the module is
	data     []byte  // twice in a row, so that no record is in two pieces
	size     uint64
}

func openRing() (*ring, error) {
	fd, err := syscall.Open(device, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", device, err)
	}
	request := subscribe{size: uint32(unsafe.Sizeof(subscribe{}))}
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), iocSubscribe,
		uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return nil, fmt.Errorf("%s: subscribe: %w", device, errno)
	}
	page := syscall.Getpagesize()
	consumer, err := syscall.Mmap(fd, 0, page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("%s: consumer page: %w", device, err)
	}
	producer, err := syscall.Mmap(fd, int64(page), page+2*int(request.ringSize),
		syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("%s: ring: %w", device, err)
	}
	if abi := order.Uint32(producer[16:]); abi != abiVersion {
		return nil, fmt.Errorf("%s: ABI %d; this program knows %d", device, abi, abiVersion)
	}
	return &ring{
		fd:       fd,
		consumer: (*uint64)(unsafe.Pointer(&consumer[0])),
		producer: (*uint64)(unsafe.Pointer(&producer[0])),
		data:     producer[page:],
		size:     uint64(request.ringSize),
	}, nil
}

// wait returns when there is something to read. ppoll, as arm64 has no poll.
func (r *ring) wait() error {
	for {
		poll := struct {
			fd              int32
			events, revents int16
		}{fd: int32(r.fd), events: pollIn}
		_, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1,
			0, 0, 0, 0)
		switch {
		case errno == syscall.EINTR:
		case errno != 0:
			return errno
		case poll.revents&pollErr != 0:
			return syscall.ENODEV
		default:
			return nil
		}
	}
}

// read calls take for each record that is there, and makes room for others.
func (r *ring) read(take func(record []byte)) {
	pos := *r.consumer
	for end := atomic.LoadUint64(r.producer); pos < end; {
		at := pos & (r.size - 1)
		size := atomic.LoadUint32((*uint32)(unsafe.Pointer(&r.data[at+4])))
		if size&recordBusy != 0 {
			break
		}
		take(r.data[at : at+uint64(size)])
		pos += uint64(size)
		atomic.StoreUint64(r.consumer, pos)
	}
}

// quoted is a JSON string of bytes that may be anything.
func quoted(text []byte) string {
	var out strings.Builder

	out.WriteByte('"')
	for _, c := range text {
		if c == '"' || c == '\\' || c < ' ' {
			fmt.Fprintf(&out, "\\u%04x", c)
		} else {
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func printFile(out *bufio.Writer, file []byte) {
	kind, idLen := order.Uint16(file[128:]), uint32(order.Uint16(file[132:]))
	pathLen, dataOff := uint32(order.Uint16(file[134:])), uint32(order.Uint16(file[136:]))
	path := dataOff + (idLen+7)&^7
	name := "unknown"

	if int(kind) < len(kinds) {
		name = kinds[kind]
	}
	fmt.Fprintf(out, "{\"file_id\":%d,\"kind\":\"%s\",\"build_id\":\"%x\",\"path\":%s}\n",
		order.Uint64(file[32:]), name, file[dataOff:dataOff+idLen],
		quoted(file[path:path+pathLen]))
}

func printMapping(out *bufio.Writer, mmap []byte) {
	fmt.Fprintf(out, "{\"file_id\":%d,\"pid\":%d,\"addr\":%d,\"len\":%d,\"pgoff\":%d}\n",
		order.Uint64(mmap[64:]), order.Uint32(mmap[32:]), order.Uint64(mmap[40:]),
		order.Uint64(mmap[48:]), order.Uint64(mmap[56:]))
}

func printLost(lost []byte) {
	fmt.Fprintf(os.Stderr, "mappings: %d records lost, %d mappings without identity, "+
		"%d missed by the hook\n", order.Uint64(lost[32:]), order.Uint64(lost[48:]),
		order.Uint64(lost[56:]))
}

func run() error {
	out := bufio.NewWriter(os.Stdout)
	r, err := openRing()

	for err == nil {
		r.read(func(record []byte) {
			switch order.Uint16(record) {
			case recordFile:
				printFile(out, record)
			case recordMmap:
				printMapping(out, record)
			case recordLost:
				printLost(record)
			}
		})
		if err = out.Flush(); err == nil {
			err = r.wait()
		}
	}
	return err
}

func main() {
	fmt.Fprintln(os.Stderr, "mappings:", run())
	os.Exit(1)
}
