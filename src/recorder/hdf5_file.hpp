// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// HDF5 as far as recordings and problem files need it: handles that close themselves, errors as InputError with path and
// reason, and no HDF5 type in sight.
//
// A file is written in two phases. First everything is created: groups, attributes, texts, tables. Then
// start_appending() switches to single-writer-multiple-reader mode, in which rows may be appended to tables
// and arrays overwritten but nothing can be created; in exchange the file can be opened at any time, while it
// is written and after the writer was killed.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace delassus {

// Little endian in the file.
enum class Hdf5Type : std::uint8_t { float64, int64, uint64, uint8, int32 };
template <class T>
constexpr Hdf5Type k_hdf5_type = Hdf5Type{255};
template <>
inline constexpr Hdf5Type k_hdf5_type<double> = Hdf5Type::float64;
template <>
inline constexpr Hdf5Type k_hdf5_type<std::int64_t> = Hdf5Type::int64;
template <>
inline constexpr Hdf5Type k_hdf5_type<std::int32_t> = Hdf5Type::int32;
template <>
inline constexpr Hdf5Type k_hdf5_type<std::uint64_t> = Hdf5Type::uint64;
template <>
inline constexpr Hdf5Type k_hdf5_type<std::uint8_t> = Hdf5Type::uint8;

// What HDF5 has open, by its number; -1: nothing. Closing reports no error here: see close() of the owners.
class Hdf5Handle {
 public:
  using Closer = int (*)(std::int64_t);
  Hdf5Handle() = default;
  Hdf5Handle(std::int64_t id, Closer closer) : id_(id), closer_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept;
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  ~Hdf5Handle() { close(); }
  std::int64_t id() const { return id_; }
  bool close();                 // false on failure; the handle is gone either way
  void release() { id_ = -1; }  // leaves it open for ever

 private:
  std::int64_t id_ = -1;
  Closer closer_ = nullptr;
};

// What an object of a file carries beside its data.
struct Hdf5Attribute {
  std::string name;
  std::variant<std::int64_t, double, std::string> value;
  bool operator==(const Hdf5Attribute&) const = default;
};

// An array in a file. The first dimension counts rows; a row is a number or an array of numbers.
class Hdf5Dataset {
 public:
  Hdf5Dataset() = default;

  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t rows() const { return shape_[0]; }
  std::int64_t row_size() const;  // numbers a row

  // `values` are `rows` whole rows.
  template <class T>
  void append(std::span<const T> values, std::int64_t rows) {
    append_rows(k_hdf5_type<T>, values.data(), static_cast<std::int64_t>(values.size()), rows);
  }
  template <class T>
  void overwrite(std::span<const T> values) {
    overwrite_all(k_hdf5_type<T>, values.data(), static_cast<std::int64_t>(values.size()));
  }
  // The first `rows` rows, one after the other.
  template <class T>
  std::vector<T> read(std::int64_t rows) const {
    std::vector<T> values(static_cast<std::size_t>(rows * row_size()));
    read_rows(k_hdf5_type<T>, values.data(), rows);
    return values;
  }
  void read_rows(Hdf5Type type, void* values, std::int64_t rows) const;
  void flush();
  void close();
  void abandon() { handle_.release(); }  // see Hdf5File::abandon

 private:
  friend class Hdf5File;
  void append_rows(Hdf5Type type, const void* values, std::int64_t size, std::int64_t rows);
  void overwrite_all(Hdf5Type type, const void* values, std::int64_t size);

  std::string label_;  // "/a/b of file.h5", for messages
  std::vector<std::int64_t> shape_;
  Hdf5Handle handle_;
};

class Hdf5File {
 public:
  Hdf5File() = default;
  // An empty file for start_appending(); replaces what is there.
  static Hdf5File create(const std::string& path);
  // An empty file in the oldest format of HDF5 that holds its data, for other programs to read; not for appending.
  static Hdf5File create_portable(const std::string& path);
  // For reading: closed files, files that are being written, and files whose writer was killed.
  static Hdf5File open(const std::string& path);

  const std::string& path() const { return path_; }

  // --- creation; texts are UTF-8 of fixed length, padded with zeros
  void create_group(const std::string& name);
  void write_attribute(const std::string& object, const std::string& name, const std::string& text);
  void write_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void write_attribute(const std::string& object, const std::string& name, double value);
  void write_text(const std::string& name, const std::string& text);
  void write_texts(const std::string& name, const std::vector<std::string>& texts);
  // No rows yet; `row_shape` empty: a row is one number.
  Hdf5Dataset create_table(const std::string& name, Hdf5Type type,
                           const std::vector<std::int64_t>& row_shape);
  // `size` zeros.
  Hdf5Dataset create_array(const std::string& name, Hdf5Type type, std::int64_t size);

  template <class T>
  void write_array(const std::string& name, std::span<const T> values) {
    Hdf5Dataset array = create_array(name, k_hdf5_type<T>, static_cast<std::int64_t>(values.size()));
    array.overwrite(values);
    array.close();
  }

  void start_appending();
  // Hands everything to the operating system: data first, then what points to it.
  void flush();
  // Datasets must be closed before.
  void close();
  // After a failed write, for the file and all its datasets: what HDF5 still holds is left to itself and the
  // file stays as it is, as if the process had been killed. Closing would mark a broken file as sound, and
  // when HDF5 (1.10) fails to close something it later closes it once more and crashes.
  void abandon();

  // --- reading
  bool contains(const std::string& name) const;
  std::string read_text_attribute(const std::string& object, const std::string& name) const;
  std::int64_t read_integer_attribute(const std::string& object, const std::string& name) const;
  // All attributes of an object that are one number or one text, by name.
  std::vector<Hdf5Attribute> read_attributes(const std::string& object) const;
  std::string read_text(const std::string& name) const;
  std::vector<std::string> read_texts(const std::string& name) const;
  Hdf5Dataset open_dataset(const std::string& name) const;

 private:
  void write_number_attribute(const std::string& object, const std::string& name, Hdf5Type type,
                              const void* value);
  std::string label(const std::string& name) const { return name + " of " + path_; }

  std::string path_;
  Hdf5Handle handle_;
};

}  // namespace delassus
