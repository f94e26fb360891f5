# Runs a mutant (COMMAND, words separated by |). It must end with an error and the kit's verdict, or the text of VERDICT,
# because a crash would prove nothing about the checks. (mpiexec of MPICH 4.2.1 returns 0 for some jobs that died:
# https://github.com/pmodels/mpich/issues/7057. So the verdict counts.) An error in a race, or in some of the drawn cases, must
# be noticed in one of three runs with all rounds, also where other tests run fewer rounds.
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
