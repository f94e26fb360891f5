# Runs disks.c: EAF and SF beyond the limit on the size of files, on a disk that is full, and on a read-only one.
# Usage: disks.sh PROGRAM mpiexec...
set -eu
program=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir small
timeout 100 "$@" -n 2 "$program" limited small >output 2>&1 || { cat output; exit 1; }
for sentence in "EAF_Write: .*cannot be written to file .small/eaf.: File too large" \
  "SF_Write: .*of shared file .small/sf.0. cannot be written: File too large"; do
  grep -q -- "$sentence" output || { cat output; echo "it did not say: $sentence"; exit 1; }
done
rm -r small output
mkdir small
unshare -m true 2>/dev/null || { echo 'skipped: no right to mount a small disk'; exit 77; }
unshare -m sh -eu -c '
  program=$1
  shift
  try() { # try WORD SENTENCE...
    word=$1
    shift
    timeout 100 $mpiexec -n 2 "$program" "$word" small >output 2>&1 || { cat output; exit 1; }
    for sentence; do
      grep -q -- "$sentence" output || { cat output; echo "it did not say: $sentence"; exit 1; }
    done
  }
  mpiexec=$*
  mount -t tmpfs -o size=64k tmpfs small
  try full "EAF_Write: .*cannot be written to file .small/eaf.: No space left" "EAF_Awrite: .*No space left" \
    "SF_Write: .*of shared file .small/sf.0. cannot be written: No space left"
  [ "$(ls small)" = eaf ] || { ls small; echo "something was left, or is gone"; exit 1; }
  until mount -o remount,ro small; do sleep 0.2; done # processes of the job that ended may have files open
  try readonly "EAF_Open: .*Read-only file system" "EAF_Delete: .*Read-only file system" \
    "SF_Create: .*Read-only file system" "SF_Create_suffix: .*Read-only file system"
' sh "$program" "$@"
