// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// HDF5 files by hand: the layouts that other programs write, right and wrong.
#pragma once
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace delassus::testing {

class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0) << path;
  }
  Hdf5Writer(const Hdf5Writer&) = delete;
  ~Hdf5Writer() { H5Fclose(file_); }

  void group(const std::string& name) {
    const hid_t id = H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(id, 0) << name;
    H5Gclose(id);
  }
  void ints(const std::string& name, const std::vector<int>& values) {
    array(name, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), values.data());
  }
  void doubles(const std::string& name, const std::vector<double>& values) {
    array(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
  }
  // As H5LTmake_dataset_string does: with a zero at the end.
  void text(const std::string& name, const std::string& value) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, value.size() + 1);
    const hid_t id = H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()), 0) << name;
    H5Dclose(id);
    H5Sclose(space);
    H5Tclose(type);
  }
  // As h5py does: of any length.
  void variable_text(const std::string& name, const std::string& value) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t id = H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const char* pointer = value.c_str();
    EXPECT_GE(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer), 0) << name;
    H5Dclose(id);
    H5Sclose(space);
    H5Tclose(type);
  }
  // As H5LTset_attribute_int does: a list of one.
  void attribute(const std::string& object, const std::string& name, int value) {
    const hsize_t one = 1;
    const hid_t space = H5Screate_simple(1, &one, nullptr);
    const hid_t id = H5Acreate_by_name(file_, object.c_str(), name.c_str(), H5T_STD_I32LE, space, H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Awrite(id, H5T_NATIVE_INT, &value), 0) << name;
    H5Aclose(id);
    H5Sclose(space);
  }
  void remove(const std::string& name) { EXPECT_GE(H5Ldelete(file_, name.c_str(), H5P_DEFAULT), 0) << name; }

 private:
  void array(const std::string& name, hid_t stored, hid_t type, std::size_t count, const void* values) {
    const hsize_t size = count;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t id = H5Dcreate2(file_, name.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(id, 0) << name;
    EXPECT_GE(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0) << name;
    H5Dclose(id);
    H5Sclose(space);
  }
  hid_t file_;
};

// A fresh directory that goes with the test.
class DirectoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "delassus_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override {
    std::error_code ignored;
    if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
  }
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

 private:
  std::string root_;
};

}  // namespace delassus::testing
