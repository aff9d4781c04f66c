#!/usr/bin/env python3
"""Runs commands for campaign.py: one JSON request a line on stdin, one JSON answer a line on stdout.

A process of its own, because Linux counts the memory of whoever forks into the peak memory of the
child that is executed: this one stays small, so what it measures is the program's own.
"""
import json
import os
import resource
import signal
import sys
import time


def child(request):
    try:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        null = os.open(request["stdin"] or os.devnull, os.O_RDONLY)
        out = os.open(request["stdout"], os.O_WRONLY | os.O_TRUNC)
        err = os.open(request["stderr"], os.O_WRONLY | os.O_TRUNC)
        for source, target in ((null, 0), (out, 1), (err, 2)):
            os.dup2(source, target)
        if request["cwd"]:
            os.chdir(request["cwd"])
        if request["address_space"]:
            resource.setrlimit(resource.RLIMIT_AS, (request["address_space"],) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.execvpe(request["command"][0], request["command"], request["env"])
    except OSError as error:
        os.write(2, f"{request['command'][0]}: {error}\n".encode())
    os._exit(127)


def serve(request):
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        child(request)
    deadline, status = started + request["timeout"], None
    while True:
        done, wait_status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            status = os.waitstatus_to_exitcode(wait_status)
            break
        left = deadline - time.monotonic()
        if left <= 0:
            os.killpg(pid, signal.SIGKILL)  # its own session: only what it started itself
            _, _, usage = os.wait4(pid, 0)
            break
        signal.sigtimedwait([signal.SIGCHLD], left)
    return {"status": status, "peak_kib": usage.ru_maxrss, "seconds": time.monotonic() - started}


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    for line in sys.stdin:
        print(json.dumps(serve(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
