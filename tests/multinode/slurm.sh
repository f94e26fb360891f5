#!/bin/sh
# Runs a command on a Slurm cluster of 2 to 4 hosts that hosts.sh makes: one controller, MUNGE, and a slurmd on
# each host, with this system's packages of Slurm (scripts/install-packages.sh slurm) and a configuration of its own.
#
#   slurm.sh [--limit SECONDS] NODES COMMAND ARGUMENTS...
#
# The command runs beside the controller, as on a login node: srun, sbatch, salloc. The exit status is the command's;
# 77: no Slurm, or this system does not permit it. Needs root.
#
# A host is called cwhostN. It has 2 cores (this machine's, which all hosts share), 2000 MB for jobs, and a network,
# /dev/shm, /tmp and cgroups of its own. /run is common: Slurm's files stand in /run/slurm, /tmp of host N is
# /run/hostN. CLUSTER_LIMITS is the mechanism that limits the cores and memory of a job: cgroups, or none if this system's
# cgroups are not of version 1.
#
# Everything is removed when this script ends, even by SIGKILL: the processes like those of hosts.sh, and the cgroups, which
# have names, by a process that waits for the script's end.
set -eu
self=$(readlink -f "$0")
hosts=$(dirname "$self")/hosts.sh
controllers='cpuset memory freezer'
limit=0
if [ "${1:-}" = --limit ]; then limit=$2 && shift 2; fi

skip() {
  echo "slurm: skipped: $1" >&2
  exit 77
}

# --- On a host: a cgroup hierarchy, /tmp and slurmd ------------------------------------------------------------------

# The folder with the host's number in the cgroup hierarchies, which is made outside, becomes the root of the hierarchies.
enter_cgroups() {
  for controller in $controllers; do
    echo 0 >"/sys/fs/cgroup/$controller/$CLUSTER_NAME.$1/cgroup.procs"
  done
  exec unshare --cgroup sh "$self" --host "$1" "$2"
}

if [ "${1:-}" = --host ]; then
  number=$2 entered=$3
  if [ "$CLUSTER_LIMITS" = cgroups ]; then
    [ "$entered" = yes ] || enter_cgroups "$number" yes
    mount -t tmpfs tmpfs /sys/fs/cgroup
    for controller in $controllers; do
      mkdir "/sys/fs/cgroup/$controller"
      mount -t cgroup -o "$controller" cgroup "/sys/fs/cgroup/$controller"
    done
  fi
  # The programs of the jobs may be below /tmp.
  mkdir -p "/run/host$number" "/run/slurm/spool-cwhost$number"
  case $CLUSTER_KEPT in
  /tmp/*)
    mkdir -p "/run/host$number/${CLUSTER_KEPT#/tmp/}"
    mount --bind "$CLUSTER_KEPT" "/run/host$number/${CLUSTER_KEPT#/tmp/}" ;;
  esac
  mount --rbind "/run/host$number" /tmp
  mount --bind /run/slurm/hosts /etc/hosts
  exec slurmd
fi

# --- Beside the hosts: MUNGE, the controller, the command ------------------------------------------------------------

configure() { # NODES
  case $CLUSTER_LIMITS in
  cgroups) track=proctrack/cgroup tasks=task/affinity,task/cgroup ;;
  *) track=proctrack/linuxproc tasks=task/affinity ;;
  esac
  cat >"$SLURM_CONF" <<END
ClusterName=causeway
SlurmctldHost=$(hostname -s)(10.213.77.254)
SlurmUser=root
SlurmdUser=root
StateSaveLocation=/run/slurm/state
SlurmdSpoolDir=/run/slurm/spool-%n
SlurmctldPidFile=/run/slurm/slurmctld.pid
SlurmdPidFile=/run/slurm/slurmd-%n.pid
SlurmctldLogFile=/run/slurm/slurmctld.log
SlurmdLogFile=/run/slurm/slurmd-%n.log
TmpFS=/tmp
ProctrackType=$track
TaskPlugin=$tasks
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SlurmdTimeout=6
KillWait=2
UnkillableStepTimeout=20
END
  echo '127.0.0.1 localhost' >/run/slurm/hosts
  for number in $(seq "$1"); do
    echo "10.213.77.$number cwhost$number" >>/run/slurm/hosts
    echo "NodeName=cwhost$number NodeAddr=10.213.77.$number CPUs=2 CoresPerSocket=2 RealMemory=2000" >>"$SLURM_CONF"
  done
  echo 'PartitionName=all Nodes=ALL Default=YES State=UP' >>"$SLURM_CONF"
  printf 'CgroupPlugin=cgroup/v1\nConstrainCores=yes\nConstrainRAMSpace=yes\nAllowedSwapSpace=0\n' >/run/slurm/cgroup.conf
}

start_cluster() { # NODES
  mkdir -p /run/munge /run/slurm/state
  chmod 755 /run/munge
  (umask 077 && head -c 128 /dev/urandom >/run/slurm/munge.key)
  munged --key-file=/run/slurm/munge.key --seed-file=/run/slurm/munge.seed --log-file=/run/slurm/munged.log
  configure "$1"
  slurmctld
  for number in $(seq "$1"); do
    HOSTS_AGENT=1 sh "$hosts" "10.213.77.$number" sh "$self" --host "$number" no || break
  done
  for _ in $(seq 100); do
    case $(sinfo -h -t idle -o %D) in "$1") return ;; esac
    sleep 0.2
  done
  sinfo -R
  tail -v -n 20 /run/slurm/*.log
  echo "slurm: the $1 nodes are not idle within 20 seconds"
  exit 1
} >&2

if [ "${1:-}" = --beside ]; then
  shift
  unset HOSTS_AGENT TMPDIR
  start_cluster "$1"
  shift
  status=0
  "$@" || status=$?
  [ $status -eq 0 ] || [ $status -eq 77 ] || tail -v -n 15 /run/slurm/slurmctld.log /run/slurm/slurmd-*.log >&2
  exit $status
fi

# --- Outside ---------------------------------------------------------------------------------------------------------

if [ $# -lt 2 ] || [ "$1" -lt 2 ] || [ "$1" -gt 4 ]; then
  echo 'usage: slurm.sh [--limit SECONDS] NODES(2-4) COMMAND ARGUMENTS...' >&2
  exit 2
fi
for tool in slurmctld slurmd srun munged; do
  command -v $tool >/dev/null || skip "there is no $tool (sh scripts/install-packages.sh slurm)"
done
[ "$(id -u)" -eq 0 ] || skip "Slurm's daemons need root"

make_cgroups() { # NODES
  for controller in $controllers; do
    grep -q " /sys/fs/cgroup/$controller cgroup " /proc/self/mounts || return 1
    for number in $(seq "$1"); do
      folder=/sys/fs/cgroup/$controller/$CLUSTER_NAME.$number
      mkdir "$folder" 2>/dev/null || return 1
      [ "$controller" != cpuset ] || for file in cpuset.mems cpuset.cpus; do
        cat "/sys/fs/cgroup/cpuset/$file" >"$folder/$file"
      done
    done
  done
}

export CLUSTER_NAME=causeway-slurm.$$ CLUSTER_LIMITS=cgroups SLURM_CONF=/run/slurm/slurm.conf
CLUSTER_KEPT=${CLUSTER_KEPT:-$(dirname "$(dirname "$(dirname "$self")")")} && export CLUSTER_KEPT
# hosts.sh replaces this process, so a signal that kills it kills everything. The process in the background removes the
# cgroups.
setsid sh -c '
  while kill -0 $1; do sleep 0.2; done
  for _ in 1 2 3 4 5; do
    for folder in $(find /sys/fs/cgroup/*/$CLUSTER_NAME.* -depth -type d); do rmdir $folder; done
    sleep 0.2
  done' tidy $$ </dev/null >/dev/null 2>&1 &
make_cgroups "$1" || CLUSTER_LIMITS=none
exec sh "$hosts" --limit "$limit" command "$1" sh "$self" --beside "$@"
