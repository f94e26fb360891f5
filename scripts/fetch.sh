# For tools that unpack Debian's packages into a folder and do not install them: `. scripts/fetch.sh`, and a function
# `needed` that prints their names.

# has_apt WHO WHAT: succeeds if there is apt; else WHO reports that WHAT will be skipped.
has_apt() {
  ! command -v dpkg-deb >/dev/null || ! command -v apt-get >/dev/null || return 0
  echo "$1: no apt here: $2 will be skipped" >&2
  return 1
}

# Into FOLDER/packages.
download() { # FOLDER
  list=$(needed) && [ -n "$list" ] && cd "$1/packages" && apt-get download $list
}

# fetch WHO FOLDER WHAT: what is needed, into FOLDER/packages. FOLDER is an absolute name.
fetch() {
  mkdir -p "$2/packages/partial"
  echo "$1: fetching $3 into $2"
  as_root=
  [ "$(id -u)" -eq 0 ] || as_root='sudo -n'
  if ! (download "$2") >"$2/log" 2>&1 && ! { $as_root apt-get update && (download "$2"); } >"$2/log" 2>&1; then
    tail -n 20 "$2/log" >&2
    echo "$1: apt-get failed; its last lines are above" >&2
    return 1
  fi
}
