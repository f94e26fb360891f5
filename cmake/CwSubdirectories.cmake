# cw_add_subdirectory(folder [NEEDS_GA]): add it if it has a CMakeLists.txt and what it needs is here.
function(cw_add_subdirectory folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NEEDS_GA" "" "")
  if(arg_NEEDS_GA AND NOT CW_GA_FOUND)
    message(STATUS "${folder} is left out: it needs Global Arrays")
  elseif(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()
