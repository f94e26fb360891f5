# Makes the table of arrays.sh. Its input lines are armci;turn; and a line of arrays.c. Prints the medians over the turns of
# the times, and of the ratios, each of which is of one run.
BEGIN { FS = ";" }

{
  key = $3 ";" $4
  if (!(key in rate)) {
    keys[++rows] = key
    rate[key] = $9
    most[key] = $10
  }
  if (substr($8, 1, 1) + substr($8, 2, 1) < 2)
    wrong[key]
  if (!substr($8, 3, 1))
    peer_wrong[$1, key]
  note(key ";limit", $5)
  note(key ";ours", $6)
  if ($5 > 0)
    note(key ";part", $5 / $6)
  if ($7 > 0) {
    note(key ";" $1, $7)
    note(key ";faster " $1, $7 / $6)
  }
}

function note(what, value,    i) {
  i = ++count[what]
  for (; i > 1 && values[what, i - 1] > value; i--)
    values[what, i] = values[what, i - 1]
  values[what, i] = value
}

function median(what,    n) {
  n = count[what]
  return n == 0 ? 0 : (values[what, int((n + 1) / 2)] + values[what, int(n / 2) + 1]) / 2
}

function time(what,    t) {
  t = median(what)
  return t == 0 ? "-" : t < 100 ? sprintf("%.1f", t) : sprintf("%.0f", t)
}

function times(what) { return count[what] ? sprintf("%.2f", median(what)) : "-" }

function verdict(key) {
  if (key in wrong)
    return "WRONG"
  met = (rate[key] == 0 || median(key ";part") >= rate[key]) && (most[key] == 0 || median(key ";ours") <= most[key])
  for (armci in armcis)
    if (count[key ";faster " armci] && !((armci, key) in peer_wrong) && median(key ";faster " armci) < 1)
      met = 0
  demands += 1
  met_demands += met
  return met ? "ok" : "UNDER"
}

function demand(key) {
  return rate[key] > 0 ? ">= " rate[key] : most[key] > 0 ? "<= " most[key] " ns" : "-"
}

END {
  armcis["causeway"]
  armcis["debian"]
  print "| operation | shape | limit ns | Causeway ns | GA on our ARMCI ns | GA on ARMCI-MPI ns | limit/us | aim | GA on ours/us | GA on ARMCI-MPI/us | verdict |"
  print "|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|:---|"
  for (i = 1; i <= rows; i++) {
    key = keys[i]
    split(key, name, ";")
    judged = verdict(key)
    bad = bad || judged == "WRONG"
    printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name[1], name[2], time(key ";limit"),
      time(key ";ours"), time(key ";causeway"), time(key ";debian"), times(key ";part"), demand(key),
      times(key ";faster causeway"), times(key ";faster debian"), judged
  }
  print ""
  printf "%d of %d rows meet their aim and are not slower than either Global Arrays.\n", met_demands, demands
  exit rows == 0 || bad
}
