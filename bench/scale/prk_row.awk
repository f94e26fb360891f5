# Makes a line of CSV of the output of bench/prk for one kernel. Fails if that is not one row, or a result is wrong.
#   awk -v nodes=N -f prk_row.awk
BEGIN { FS = " *[|] *" }
/WRONG|wrong/ { wrong = 1 }
/^[|]/ && NF > 8 && $2 != "kernel" && $2 !~ /^-/ {
  rows++
  row = $2 "," nodes "," $3 "," $4 "," $5 "," $6 "," $8
}
END {
  if (wrong || rows != 1) exit 1
  print row
}
