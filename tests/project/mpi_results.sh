# The results of MPI must be used: no call of MPI in src/ and interfaces/ may be a statement of its own, also not after (void).
# The list below has the exceptions with their reasons: a function anywhere, or in one file.
set -eu
cd "$SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/allowed" <<'END'
MPI_Abort the job ends
src/core/mpi/mpi_request.c MPI_Cancel another failure is being told, and is the one to tell
src/core/mpi/mpi_request.c MPI_Wait the same
END

# dropped FILE...: prints "file:line: function" for each call that begins a statement
dropped() {
  awk '
    FNR == 1 { before = ";"; comment = 0 }
    {
      line = $0
      if (line ~ /^[ \t]*#/) next # and what continues it begins with no call
      gsub(/"([^"\\]|\\.)*"/, "s", line)
      gsub(/\047([^\047\\]|\\.)*\047/, "c", line)
      while (line != "") {
        if (comment) {
          end = index(line, "*/")
          if (!end) break
          line = substr(line, end + 2)
          comment = 0
        } else if (match(line, /^[ \t]+/) || match(line, /^\/\/.*/)) {
          line = substr(line, RLENGTH + 1)
        } else if (substr(line, 1, 2) == "/*") {
          comment = 1
          line = substr(line, 3)
        } else if (match(line, /^[A-Za-z_][A-Za-z_0-9]*/)) {
          word = substr(line, 1, RLENGTH)
          line = substr(line, RLENGTH + 1)
          if (word ~ /^P?MPI_[A-Z][a-z_0-9A-Z]*[a-z]/ && line ~ /^[ \t]*\(/ && before ~ /^([;{})]|else|do)$/)
            print FILENAME ":" FNR ": " word
          before = word
        } else {
          before = substr(line, 1, 1)
          line = substr(line, 2)
        }
      }
    }' "$@"
}

# Checks that this test finds errors, and nothing else.
cat >"$work/seeded.c" <<'END'
/* MPI_Send(1); */
int f(void) { MPI_Barrier(comm);
  if (x) MPI_Wait(&request, 0);
  else
    MPI_Test(&request, &flag, 0);
  (void)MPI_Win_free(&window);
  const int code = MPI_Recv(buffer); if (MPI_Probe(0) != 0 || use(MPI_Iprobe(0)))
    return MPI_Finalize();
  say("; MPI_Send(1);"); CWI_TRY(CWI_MPI(MPI_Bcast(buffer))); MPI_Comm comm; int flag; }
END
found=$(dropped "$work/seeded.c" | sed 's/.*: //' | tr '\n' ' ')
[ "$found" = 'MPI_Barrier MPI_Wait MPI_Test MPI_Win_free ' ] || { echo "the test itself is wrong: it finds $found"; exit 1; }

find src interfaces vocl/src -name '*.[ch]' | sort >"$work/files"
# shellcheck disable=SC2046 # a list of words
dropped $(cat "$work/files") >"$work/dropped"
calls=$(grep -hoE '\bMPI_[A-Z][a-z_]+[A-Za-z_]*\(' $(cat "$work/files") | wc -l)
bad=0
while read -r where function; do
  grep -q "^$function " "$work/allowed" || grep -q "^${where%%:*} $function " "$work/allowed" ||
    { echo "$where $function: its return value is dropped"; bad=$((bad + 1)); }
done <"$work/dropped"
echo "$calls calls of MPI; $(wc -l <"$work/dropped") drop what it returns, $bad of them without a reason"
[ "$calls" -ge 100 ] && [ $bad -eq 0 ]
