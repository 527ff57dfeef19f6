# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the program on a scene and reads what it leaves."""
import csv
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import threading

TIME_LIMIT = 60       # [s] of processor time a run
WALL_FACTOR = 10      # a run that waits longer than this times the limit hangs, however busy the machine is


class Result:
    """What a run left: status (None: killed at the limit), message, seconds of processor time, tables by name."""

    def __init__(self, status, message, seconds, folder):
        self.status, self.message, self.seconds, self.folder = status, message, seconds, folder
        self.timed_out = status is None
        summary = pathlib.Path(folder, "summary.json")
        self.summary = json.loads(summary.read_text()) if summary.exists() else None
        self.tables = {}

    def table(self, name):
        """Rows of NAME.csv as dicts of text; empty where the run left none."""
        if name not in self.tables:
            path = pathlib.Path(self.folder, f"{name}.csv")
            self.tables[name] = list(csv.DictReader(path.read_text().splitlines())) if path.exists() else []
        return self.tables[name]


def limit_child():
    resource.setrlimit(resource.RLIMIT_CPU, (TIME_LIMIT, TIME_LIMIT + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_scene(program, text, folder, options=()):
    """Writes the scene into the folder and runs it there."""
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "scene.yaml").write_text(text)
    command = [program, "run", "scene.yaml", "--out", "out", "--csv", "--quiet", "--no-report", *options]
    with (folder / "stderr.txt").open("w") as errors:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, preexec_fn=limit_child)
        watch = threading.Timer(WALL_FACTOR * TIME_LIMIT, lambda: os.kill(child.pid, signal.SIGKILL))
        watch.start()
        _, wait_status, usage = os.wait4(child.pid, 0)
        watch.cancel()
    child.returncode = os.waitstatus_to_exitcode(wait_status)
    killed = child.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    message = (folder / "stderr.txt").read_text(errors="replace").strip()
    return Result(None if killed else child.returncode, message, usage.ru_utime + usage.ru_stime, folder / "out")
