# problem_report.sh CW_INFO MPIEXEC...: cw-info --report without a launcher and in a job: its sections, nothing personal, a
# launcher that fails, files that cannot be written.
set -u
program=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
wrong() { echo "$*"; failed=1; }
has() { grep -qE -- "$2" "$1" || { wrong "$1 has no '$2':"; cat "$1"; }; }

# Text that a report must not have. The folders do not exist, so that programs print their names.
home=/home/zebulon.quist/place
export HOME=$home USER=zebulon LOGNAME=zebulon-log HOSTNAME=giraffe77.zoo.example
unwanted="zebulon|quist|giraffe77|zoo[.]example|secret|10[.]98[.]76[.]54|fe80::1234|PRIVATE_WORD|$(hostname | sed 's/[.]/[.]/g')"
set_all() {
  CW_TIMELINE=$home/secret/lines.json CW_PROFILE=/home/other/secret.json CW_STATS=1 PRIVATE_WORD=PRIVATE_WORD \
    FI_NOTHING=/home/zebulon/secret HYDRA_NOTHING=$home/secret ARMCI_NOTHING='giraffe77,10.98.76.54,fe80::1234 zebulon' "$@"
}
private() {
  ! grep -nwE "$unwanted" "$1" || wrong "personal data in $1 (above)"
  has "$1" '^CW_STATS=(1|yes|on)$'
  has "$1" '^CW_PROFILE=<home>$'
  has "$1" '^CW_TIMELINE=<home>$'
  has "$1" '^ARMCI_NOTHING=<host>,<address>,<address> <user>$'
}
sections() {
  for line in '^Causeway:     [0-9.]+$' '^MPI:          .*[0-9]' '^compiler:     .*[0-9]' '^kernel:       Linux' '^C library:    glibc' \
    '^processor:' '^cores:        [0-9]+' '^NUMA nodes:   [0-9]+' '^memory:       [0-9]+ MiB' '^/dev/shm:' '^limits: .*open files [0-9]+' \
    '^route:     direct' '^devices:$' '^== self-test of MPI$'; do
    has "$1" "$line"
  done
}

# One bug only: the self-test has a test of its own.
set_all "$program" --report all.txt openmpi_bits --launcher "$*" >said 2>&1 || wrong "status $? without a launcher: $(cat said)"
has said "^cw-info: the report is in 'all.txt'"
private all.txt
sections all.txt
has all.txt '^processes: 1 on 1 node'
has all.txt '^processes: 2 on 1 node'
has all.txt '^openmpi_bits +has it'

set_all "$@" -n 2 "$program" --report job.txt >said 2>&1 || wrong "status $? in a job: $(cat said)"
private job.txt
sections job.txt
has job.txt '^== hardware of a host with 2 processes$'
has job.txt '^== this job of 2 processes$'
has job.txt '^not run: '

# Sections that fail, and those after them.
CW_SERVER=none CW_ROUTE=wrong "$program" --report - openmpi_bits --launcher 'sh -c "echo no launcher here; exit 9"' >broken.txt 2>&1 ||
  wrong "status $? with a launcher that fails"
has broken.txt '^error: .*CW_ROUTE'
has broken.txt '^processor:'
has broken.txt '^no launcher here'
has broken.txt '^[(]it ended with status 9[)]$'
has broken.txt '^== self-test of MPI$'

# fails STATUS SENTENCE ARGUMENT...
fails() {
  wanted=$1 sentence=$2 status=0
  shift 2
  "$program" --report "$@" >said 2>&1 || status=$?
  [ $status -eq "$wanted" ] || wrong "status $status instead of $wanted: $*"
  has said "$sentence"
}
fails 1 "^cw-info: the report cannot be written to 'no/folder': No such file or directory$" no/folder
fails 1 "^cw-info: the report cannot be written completely to '/dev/full': No space left on device$" /dev/full
fails 1 "^cw-info: the report cannot be written to '.': Is a directory$" .
fails 2 "'nonsense' is not an option of the self-test" here.txt nonsense
[ ! -e here.txt ] || wrong 'a file in spite of wrong arguments'
status=0
"$@" -n 2 "$program" --report /dev/full >said 2>&1 || status=$?
[ $status -ne 0 ] || wrong 'a job whose report cannot be written succeeds'
has said "^cw-info: the report cannot be written completely to '/dev/full': No space left on device$"
exit $failed
