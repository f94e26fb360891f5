# Makes a Fortran program that refers to each name of names.txt. It links only if all of them exist.
BEGIN { print "program refer"; print "  implicit none" }
{ names[++n] = $1; print "  external " $1 }
END {
  for (i = 1; i <= n; i++) print "  call take(" names[i] ")"
  print "  print '(a)', 'all names are there'"
  print "contains"
  print "  subroutine take(name)"
  print "    external name"
  print "  end subroutine take"
  print "end program refer"
}
