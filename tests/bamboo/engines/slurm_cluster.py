"""A Slurm cluster of one node, this machine, with its daemons in the current user's name."""

import os
import secrets
import shutil
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager

from tests.bamboo.engines.dask_processes import end

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo")
SEARCH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=1,sched_interval=2
KillWait=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=10 State=UP
PartitionName=closed Nodes={host} MaxTime=10 State=DOWN
"""


class CannotStart(Exception):
    """The daemons do not run on this machine."""


@contextmanager
def slurm_cluster(folder):
    """Start the daemons; ``SLURM_CONF`` and ``PATH`` lead to them.

    Raises:
        CannotStart: with the reason.
    """
    missing = [name for name in PROGRAMS if shutil.which(name, path=SEARCH) is None]
    if missing:
        raise CannotStart(f"{', '.join(missing)}: not installed (packages slurm-wlm and munge)")
    before = {name: os.environ.get(name) for name in ("SLURM_CONF", "PATH")}
    with ExitStack() as stack:
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        host = socket.gethostname().partition(".")[0]
        configuration = folder / "slurm.conf"
        ports = _free_ports()
        user = os.environ.get("USER") or "root"
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
        configuration.write_text(
            CONFIGURATION.format(
                host=host,
                ports=ports,
                user=user,
                folder=folder,
                cores=os.cpu_count(),
                memory=memory // 2,
            )
        )
        (folder / "cgroup.conf").write_text("CgroupAutomount=no\nIgnoreSystemd=yes\n")
        os.environ.update(SLURM_CONF=str(configuration), PATH=SEARCH)
        try:
            munge = [
                f"--{kind}={folder}/munge.{kind.partition('-')[0]}"
                for kind in ("socket", "pid-file", "log-file", "seed-file")
            ]
            commands = (
                ["munged", "--foreground", "--force", f"--key-file={key}", *munge],
                ["slurmctld", "-D", "-f", str(configuration)],
                ["slurmd", "-D", "-f", str(configuration), "-N", host],
            )
            for command in commands:
                process = subprocess.Popen(
                    command,
                    stdout=subprocess.DEVNULL,
                    stderr=(folder / f"{command[0]}.err").open("wb"),
                    start_new_session=True,
                )
                stack.callback(end, process)
                time.sleep(0.5)
                if process.poll() is not None:
                    raise CannotStart(_last_line(folder, command[0]))
            _wait_for_node(folder)
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def _wait_for_node(folder):
    for _ in range(100):
        state = subprocess.run(
            ["sinfo", "-h", "-p", "short", "-o", "%t"], capture_output=True, text=True
        )
        if state.stdout.strip() == "idle":
            return
        time.sleep(0.2)
    raise CannotStart(f"the node is not idle: {_last_line(folder, 'slurmd')}")


def _last_line(folder, name):
    lines = []
    for suffix in (".err", ".log"):
        path = folder / f"{name}{suffix}"
        lines += path.read_text(errors="replace").splitlines() if path.exists() else []
    return f"{name}: {lines[-1] if lines else 'it ended'}"


def _free_ports():
    sockets = [socket.socket() for _ in range(2)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
