# cw_add_subdirectory(folder): add it if it has a CMakeLists.txt.
function(cw_add_subdirectory folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()
