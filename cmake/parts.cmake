# delassus_part(NAME DEPENDS part… LINK target… PRIVATE_LINK target…): one library per folder of src/.
# DEPENDS repeats the folder's row of the include table (ARCHITECTURE.md); tools/check_layers compares the two with the sources.
function(delassus_part name)
  cmake_parse_arguments(PART "" "" "DEPENDS;LINK;PRIVATE_LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(target delassus_${name})
  add_library(${target} STATIC ${sources})
  add_library(delassus::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:delassus_options>)
  foreach(part ${PART_DEPENDS})
    target_link_libraries(${target} PUBLIC delassus_${part})
  endforeach()
  target_link_libraries(${target} PUBLIC ${PART_LINK} PRIVATE ${PART_PRIVATE_LINK})
  if(name STREQUAL "base")
    # The alignment must not depend on -march, so that the parts, the program and the programs of users agree. Every part includes base.
    target_compile_definitions(${target} PUBLIC EIGEN_MAX_ALIGN_BYTES=16)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp)
  else()
    target_precompile_headers(${target} REUSE_FROM delassus_base)
  endif()
  # It defines what the others only declare. All of it is Eigen's code: with the address sanitizer it takes twice as long to compile.
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/linalg/eigen_instantiations.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(DELASSUS_SANITIZE STREQUAL "address")
    # Memory is allocated here and freed elsewhere: in the way that Eigen takes under this sanitizer.
    set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/linalg/eigen_instantiations.cpp PROPERTIES
      COMPILE_OPTIONS -fno-sanitize=all COMPILE_DEFINITIONS EIGEN_MALLOC_ALREADY_ALIGNED=0 SKIP_PRECOMPILE_HEADERS ON)
  endif()
  set_property(GLOBAL APPEND PROPERTY DELASSUS_PARTS ${target})
endfunction()
