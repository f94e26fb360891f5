# Installs what a build of a program on Global Arrays asks for, where it asks: one folder for each library, which
# EXTERNAL_GA_PATH (NWChem), --with-ga, GA_DIR and the like name. It has what GA's own installation has.
#   lib/cwga/<mpi>/       for programs whose INTEGER has 8 bytes: libcwga-<mpi>
#   lib/cwga/<mpi>-i4/    4 bytes: libcwga-i4-<mpi>
#     bin/ga-config       compilers, options, libraries; it finds its folder by its own place
#     include/            ga.h, global.fh, ga++.h, armci.h ...; below <mpi>-i4 without CWGA_INTEGER_4 on command lines
#     lib/lib{ga,ga++,armci}{,-<mpi>}.a
#                         linker scripts, all the same: the static libcwga, which has all three, and what it needs
#   lib/cmake/globalarrays/   find_package(GlobalArrays); below each folder's lib/, too, for that library
#   bin/ga-config-<mpi>[-i4], ga-config   links (install-links.cmake.in)
string(REGEX REPLACE "mpicc([^/]*)$" "mpifort\\1" ga_mpifort ${CW_MPICC})
file(STRINGS interfaces/ga/include/gacommon.h ga_version REGEX "GA_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" ga_version "${ga_version}")
list(JOIN ga_version . ga_version)
set(ga_math_libs "${CW_SCALAPACK} ${CW_LAPACK} ${CW_BLAS} -lm")
# Libraries that libcwga needs. GA's brings ScaLAPACK, LAPACK and BLAS to programs, too, and so do we, but not to those whose
# INTEGER has 8 bytes: they would get these 4-byte ones instead of their own.
set(ga_needs -lm)
set(ga_needs-i4 "${CW_SCALAPACK} ${CW_LAPACK} ${CW_BLAS} ${ga_needs}")
set(ga_package ${CMAKE_INSTALL_LIBDIR}/cmake/globalarrays)
set(ga_libraries)

function(cw_install_ga_prefix library suffix fint)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cwga/${CW_MPI}${suffix}) # install-links.cmake.in knows it, too
  set(made ${PROJECT_BINARY_DIR}/ga-prefix${suffix})
  set(ga_fint ${fint})
  set(ga_bytes 8)
  if(suffix)
    set(ga_bytes 4)
  endif()
  file(RELATIVE_PATH ga_package_there /${folder}/lib/cmake/globalarrays /${ga_package})
  string(STRIP "${fint} -funconstrained-commons -std=legacy" ga_fflags)
  configure_file(cmake/ga-config.in ${made}/bin/ga-config @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  foreach(name ga ga++ armci ga-${CW_MPI} ga++-${CW_MPI} armci-${CW_MPI})
    file(WRITE ${made}/lib/lib${name}.a "/* The linker reads this text: lib${name} is in Causeway's ${library}. */\n"
      "INPUT(lib${library}-${CW_MPI}.a AS_NEEDED(${ga_needs${suffix}}))\n")
  endforeach()
  configure_file(cmake/globalarrays-folder.cmake.in ${made}/lib/cmake/globalarrays/globalarrays-config.cmake @ONLY)
  file(COPY ${PROJECT_BINARY_DIR}/globalarrays-config-version.cmake DESTINATION ${made}/lib/cmake/globalarrays)
  install(DIRECTORY ${made}/ DESTINATION ${folder} USE_SOURCE_PERMISSIONS)
  set(headers ${ga_headers} ${cxx_headers} ${armci_headers} include/causeway.h)
  if(suffix)
    foreach(header typesf2c.h cwga-integer.fh) # which know the size of INTEGER
      file(READ interfaces/ga/include/${header} text)
      file(WRITE ${made}/include/${header} "#ifndef CWGA_INTEGER_4\n#define CWGA_INTEGER_4\n#endif\n${text}")
      list(FILTER headers EXCLUDE REGEX "/${header}$")
    endforeach()
  endif()
  install(FILES ${headers} DESTINATION ${folder}/include)
  install(DIRECTORY include/causeway DESTINATION ${folder}/include FILES_MATCHING PATTERN *.h)
endfunction()

if(TARGET cwga)
  write_basic_package_version_file(globalarrays-config-version.cmake VERSION ${ga_version} COMPATIBILITY SameMajorVersion)
  install(FILES cmake/globalarrays-config.cmake ${PROJECT_BINARY_DIR}/globalarrays-config-version.cmake
          DESTINATION ${ga_package})
  cw_install_ga_prefix(cwga "" -fdefault-integer-8)
  cw_install_ga_prefix(cwga-i4 -i4 "")
  set(ga_libraries cwga cwga-i4)
endif()
