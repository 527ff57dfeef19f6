# Compiler options shared by every target of the project.
add_library(delassus_options INTERFACE)
# Missing initialisers are members with defaults of structs that are made by designated initialisers.
target_compile_options(delassus_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers
  $<$<BOOL:${DELASSUS_WARNINGS_AS_ERRORS}>:-Werror>
  # Same bits on every machine of one kind: the compiler may not contract a*b+c on its own.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of g++ 12 inside inlined Eigen and std code at -O2.
  target_compile_options(delassus_options INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
  # The compiler tidies up its memory at 512 MB instead of 128 MB, which few sources reach: a tenth of the time.
  target_compile_options(delassus_options INTERFACE --param=ggc-min-heapsize=524288)
endif()
if(CMAKE_UNITY_BUILD)
  # Several sources a compilation: what one of them keeps to itself is taken for something of a header.
  target_compile_options(delassus_options INTERFACE -Wno-subobject-linkage)
endif()
# Of a report of the sanitizers one wants the lines, nothing more.
if(DELASSUS_SANITIZE STREQUAL "address")
  # What the address sanitizer finds as well is left to it: these checks of pointers cost a quarter of the time to compile.
  target_compile_options(delassus_options INTERFACE -O1 -g1 -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(delassus_options INTERFACE -fsanitize=address,undefined)
elseif(DELASSUS_SANITIZE STREQUAL "thread")
  target_compile_options(delassus_options INTERFACE -O1 -g1 -fsanitize=thread)
  target_link_options(delassus_options INTERFACE -fsanitize=thread)
elseif(DELASSUS_SANITIZE)
  message(FATAL_ERROR "DELASSUS_SANITIZE is \"${DELASSUS_SANITIZE}\"; allowed: address, thread, or nothing")
endif()
