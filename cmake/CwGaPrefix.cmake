# Installs what a build of a program on Global Arrays asks for, where it asks: one folder for each library, which
# EXTERNAL_GA_PATH (NWChem), --with-ga (others) and the like name.
#   lib/cwga/<mpi>/       for programs whose INTEGER has 8 bytes: libcwga-<mpi>
#   lib/cwga/<mpi>-i4/    4 bytes: libcwga-i4-<mpi>
#     bin/ga-config       compilers, options, libraries; it finds its folder by its own place
#     include/            ga.h, global.fh ...; below <mpi>-i4 for 4 bytes without CWGA_INTEGER_4 on command lines
#     lib/libga.a         a linker script: the static libcwga, and those libraries that GA does not need
#     lib/libarmci.a      one of nothing: libcwga has ARMCI's work inside
#   bin/ga-config-<mpi>[-i4], ga-config   links (install-links.cmake.in)
string(REGEX REPLACE "mpicc([^/]*)$" "mpifort\\1" ga_mpifort ${CW_MPICC})
file(STRINGS compat/ga/include/gacommon.h ga_version REGEX "GA_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" ga_version "${ga_version}")
list(JOIN ga_version . ga_version)
set(ga_math_libs "${CW_SCALAPACK} ${CW_LAPACK} ${CW_BLAS} -lm")
set(ga_libraries)

function(cw_install_ga_prefix library suffix fint)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cwga/${CW_MPI}${suffix}) # install-links.cmake.in knows it, too
  set(made ${PROJECT_BINARY_DIR}/ga-prefix${suffix})
  set(ga_fint ${fint})
  string(STRIP "${fint} -funconstrained-commons -std=legacy" ga_fflags)
  configure_file(cmake/ga-config.in ${made}/bin/ga-config @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  file(WRITE ${made}/lib/libga.a "/* The linker reads this text: libga is Causeway's ${library}. */\n"
    "INPUT(lib${library}-${CW_MPI}.a AS_NEEDED(${CW_HDF5}))\n")
  file(WRITE ${made}/lib/libarmci.a "/* The linker reads this text: what libarmci does is in libga. */\n")
  install(DIRECTORY ${made}/ DESTINATION ${folder} USE_SOURCE_PERMISSIONS)
  set(headers ${ga_headers} ${cxx_headers})
  list(FILTER headers EXCLUDE REGEX "/cwga[.]h") # not GA's
  if(suffix)
    foreach(header typesf2c.h cwga-integer.fh) # which know the size of INTEGER
      file(READ compat/ga/include/${header} text)
      file(WRITE ${made}/include/${header} "#ifndef CWGA_INTEGER_4\n#define CWGA_INTEGER_4\n#endif\n${text}")
      list(FILTER headers EXCLUDE REGEX "/${header}$")
    endforeach()
  endif()
  install(FILES ${headers} DESTINATION ${folder}/include)
endfunction()

if(TARGET cwga)
  cw_install_ga_prefix(cwga "" -fdefault-integer-8)
  cw_install_ga_prefix(cwga-i4 -i4 "")
  set(ga_libraries cwga cwga-i4)
endif()
