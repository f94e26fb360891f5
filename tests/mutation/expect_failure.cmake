# Runs a mutant (COMMAND, words separated by |). It must end with an error and a test's own verdict, or what VERDICT
# says: a crash would prove nothing about the checks. (mpiexec of MPICH 4.2.1 returns 0 for some jobs that died:
# https://github.com/pmodels/mpich/issues/7057. The verdict is what counts.) What is wrong in a race, or in some of the
# drawn cases, is noticed in one of three runs, of all rounds: also where other tests run a part of theirs.
if(NOT VERDICT)
  set(VERDICT "FAILED: ([0-9]+ checks|the program hangs)")
endif()
set(ENV{CW_TEST_TIMES} 1)
string(REPLACE "|" ";" COMMAND "${COMMAND}")
foreach(run 1 2 3)
  execute_process(COMMAND ${COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE errors TIMEOUT 290)
  if("${output}${errors}" MATCHES "${VERDICT}")
    message(STATUS "${output}")
    return()
  endif()
endforeach()
message(FATAL_ERROR "exit status ${result}; the test has not noticed:\n${output}${errors}")
