#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which hosts run build-id X? Two guests write their metrics, node-exporters serve these,
and the distribution's Prometheus answers; all on loopback."""

import contextlib
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.insert(0, os.path.join(TOP, "tests/lib"))

from tap import equal, run, test                            # noqa: E402

HOSTS = {"first": "6.12", "second": "6.1"}
V1, V2 = "11" * 20, "22" * 20
MONITORING = os.path.join(TOP, "tool/monitoring")
TIMEOUT = 120      # of a machine under load; nothing waits that long otherwise


def make():
    subprocess.run(["flock", "tests/Makefile", "make", "-s", "-C", "tests"], cwd=TOP, check=True,
                   stdout=sys.stderr)


def metrics_of(host):
    return subprocess.run(["scripts/vm", "--kernel", HOSTS[host], "--mem", "3G", "--",
                           "tests/src/fleet-host", host], cwd=TOP, check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@contextlib.contextmanager
def running(*command):
    with open(os.devnull, "w", encoding="ascii") as null:
        process = subprocess.Popen(command, stdout=null, stderr=null)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as reply:
        return reply.read().decode()


def until(condition, what):
    end = time.monotonic() + TIMEOUT
    while True:
        with contextlib.suppress(OSError):
            if found := condition():
                return found
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.1)


def exporter(stack, work, host):
    """Serves what the host has written; returns where."""
    directory = os.path.join(work, host)
    os.mkdir(directory)
    with open(os.path.join(directory, "buildid.prom"), "w", encoding="utf-8") as file:
        file.write(texts[host])
    port = free_port()
    stack.enter_context(running(
        "prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
        f"--collector.textfile.directory={directory}", f"--web.listen-address=127.0.0.1:{port}"))
    until(lambda: get(port, "/metrics"), f"node-exporter of {host}")
    return port


class Strict(http.server.BaseHTTPRequestHandler):
    """What the first host has written, as OpenMetrics, whose parser forgives nothing."""

    def do_GET(self):           # pylint: disable=invalid-name
        self.send_response(200)
        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0")
        self.end_headers()
        self.wfile.write(texts["first"].encode())

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


@contextlib.contextmanager
def strict_server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Strict) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def prometheus(stack, work, ports):
    config = {"global": {"scrape_interval": "1s"}, "scrape_configs": [{
        "job_name": "fleet", "static_configs": [
            {"targets": [f"127.0.0.1:{port}"], "labels": {"host": host}}
            for host, port in ports.items()]}]}
    path = os.path.join(work, "prometheus.yml")
    with open(path, "w", encoding="ascii") as file:
        json.dump(config, file)     # which is YAML, too
    port = free_port()
    stack.enter_context(running(
        "prometheus", f"--config.file={path}", f"--storage.tsdb.path={work}/data",
        f"--web.listen-address=127.0.0.1:{port}"))
    return port


def query(port, expression):
    text = get(port, "/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
    return [(sample["metric"], float(sample["value"][1]))
            for sample in json.loads(text)["data"]["result"]]


texts = {}
answers = {}


@test("two hosts write their metrics")
def _():
    make()
    for host in HOSTS:
        texts[host] = metrics_of(host)
        assert texts[host].endswith("\n# EOF\n"), texts[host][-200:]


@test("node-exporter takes them all")
def _():
    with tempfile.TemporaryDirectory() as work, contextlib.ExitStack() as stack:
        port = exporter(stack, work, "first")
        served = get(port, "/metrics")
        assert "node_textfile_scrape_error 0\n" in served, served
        ours = [line for line in texts["first"].splitlines() if not line.startswith("#")]
        equal(len([line for line in served.splitlines() if line.startswith("buildid_")]), len(ours),
              "samples")


@test("one query says which hosts run a build-id, and others what is stale and armed")
def _():
    with tempfile.TemporaryDirectory() as work, contextlib.ExitStack() as stack:
        port = prometheus(stack, work, {host: exporter(stack, work, host) for host in HOSTS})
        until(lambda: len(query(port, "buildid_armed == 1")) == len(HOSTS), "both are scraped")

        def hosts(build_id):
            return sorted((metric["host"], metric["path"], value) for metric, value in
                          query(port, f'buildid_mapped_content{{build_id="{build_id}"}}'))
        path = '/opt/fleet/lib "quoted".so'
        equal(hosts(V1), [("first", path, 2)], "the old one")
        equal(hosts(V2), [("first", path, 1), ("second", path, 1)], "the new one")
        equal(hosts("ab" * 20), [], "one that nobody has")
        equal({metric["host"]: value for metric, value in query(port, "buildid_stale_processes")},
              {"first": 2, "second": 0}, "stale processes")
        (version,) = {metric["version"] for metric, _ in query(port, "buildid_info")}
        assert version, "version"


@test("the text is OpenMetrics to a parser that is strict")
def _():
    with tempfile.TemporaryDirectory() as work, contextlib.ExitStack() as stack:
        port = prometheus(stack, work, {"strict": stack.enter_context(strict_server())})
        until(lambda: query(port, "up"), "a scrape")
        equal([value for _, value in query(port, "up")], [1], "up")
        (sample,) = query(port, "buildid_mappings_total")
        assert sample[1] > 0, sample


def metric_names(text):
    """Of all samples that there can be, also of those that have none at the moment."""
    types = re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M)
    return {name + ("_total" if kind == "counter" else "") for name, kind in types}


@test("promtool accepts the alerts, which fire where they have to")
def _():
    for words in ("check", "alerts.yml"), ("test", "alerts_test.yml"):
        done = subprocess.run(["promtool", words[0], "rules", words[1]], cwd=MONITORING, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        equal(done.returncode, 0, done.stdout)


@test("alerts and dashboard ask for metrics that there are, in Prometheus' language")
def _():
    with open(os.path.join(MONITORING, "dashboard.json"), encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    with open(os.path.join(MONITORING, "alerts.yml"), encoding="utf-8") as file:
        queries = re.findall(r"^ +expr: (.*)$", file.read(), re.M)
    queries += [target["expr"].replace("$__rate_interval", "1m")
                for panel in panels for target in panel["targets"]]
    there = metric_names(texts["first"])
    with tempfile.TemporaryDirectory() as work, contextlib.ExitStack() as stack:
        port = prometheus(stack, work, {"host": exporter(stack, work, "first")})
        until(lambda: query(port, "buildid_armed == 1"), "a scrape")
        for expression in queries:
            equal(set(re.findall(r"\bbuildid_\w+", expression)) - there, set(), expression)
            query(port, expression)     # raises where it is none
    shown = set(re.findall(r"\bbuildid_\w+", " ".join(queries)))
    equal(there - shown, {"buildid_info", "buildid_oldest_visit_pid"}, "metrics that none shows")


if not shutil.which("prometheus") or not shutil.which("prometheus-node-exporter"):
    print("1..0 # SKIP prometheus and prometheus-node-exporter are not installed")
    sys.exit(0)
run()
