// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/recorder/hdf5_file.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>
#include <utility>

#include "delassus/base/error.hpp"

namespace delassus {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

// Chunks of about this size: small enough for short runs, large enough for long ones [bytes].
constexpr std::int64_t k_chunk_bytes = 16384;
// Space for metadata is handed out in pages of this size and small objects never straddle two. A process that
// is killed while it writes can leave half of a write behind, but only at the boundary of two memory pages.
constexpr hsize_t k_page_bytes = 4096;
// A property of HDF5's own tool h5clear: opening the file forgets that a writer has it open.
constexpr const char* k_clear_flags = "clear_status_flags";

// Reads of a block that a live writer may be changing; the wait doubles from 1 ns, so this gives up within
// a few hundredths of a second.
constexpr unsigned k_read_attempts = 24;

// HDF5 prints its errors unless told otherwise, and must be told in every thread. It also closes at exit what
// is still open, which must not happen to abandoned files.
void silence() {
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

herr_t take_first(unsigned /*n*/, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 1;  // enough
}

// Why the last call failed: the innermost error, of it the operating system's words where there are any.
std::string reason() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &text);
  const std::string key = "error message = '";
  const std::size_t begin = text.find(key);
  if (begin != std::string::npos) {
    const std::size_t end = text.find('\'', begin + key.size());
    text = text.substr(begin + key.size(), end - begin - key.size());
  }
  return text.empty() ? "HDF5 gives no reason" : text;
}

[[noreturn]] void fail(const std::string& doing, const std::string& what) {
  throw InputError("cannot " + doing + " " + what + ": " + reason());
}

void check(herr_t status, const char* doing, const std::string& what) {
  if (status < 0) fail(doing, what);
}

// Takes over a fresh number of HDF5's.
Hdf5Handle own(hid_t id, herr_t (*closer)(hid_t), const char* doing, const std::string& what) {
  if (id < 0) fail(doing, what);
  return {id, closer};
}

hid_t file_type(Hdf5Type type) {
  switch (type) {
    case Hdf5Type::float64:
      return H5T_IEEE_F64LE;
    case Hdf5Type::int64:
      return H5T_STD_I64LE;
    case Hdf5Type::uint64:
      return H5T_STD_U64LE;
    case Hdf5Type::uint8:
      return H5T_STD_U8LE;
    case Hdf5Type::int32:
      return H5T_STD_I32LE;
  }
  return -1;
}

hid_t memory_type(Hdf5Type type) {
  switch (type) {
    case Hdf5Type::float64:
      return H5T_NATIVE_DOUBLE;
    case Hdf5Type::int64:
      return H5T_NATIVE_INT64;
    case Hdf5Type::uint64:
      return H5T_NATIVE_UINT64;
    case Hdf5Type::uint8:
      return H5T_NATIVE_UINT8;
    case Hdf5Type::int32:
      return H5T_NATIVE_INT32;
  }
  return -1;
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<hsize_t> with_rows(std::int64_t rows, const std::vector<std::int64_t>& shape) {
  std::vector<hsize_t> sizes(shape.begin(), shape.end());
  sizes[0] = static_cast<hsize_t>(rows);
  return sizes;
}

Hdf5Handle make_space(const std::vector<hsize_t>& sizes, const hsize_t* largest, const std::string& what) {
  return own(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), largest), H5Sclose,
             "describe the shape of", what);
}

// Closing must not be what finds out that the disk is full: see abandon().
void close_written(Hdf5Handle& dataset, const std::string& what) {
  if (H5Dflush(dataset.id()) < 0) {
    dataset.release();
    fail("write", what);
  }
  if (!dataset.close()) fail("write", what);
}

// Text of exactly `size` bytes (at least 1), UTF-8, padded with zeros.
Hdf5Handle text_type(std::size_t size, const std::string& what) {
  Hdf5Handle type = own(H5Tcopy(H5T_C_S1), H5Tclose, "describe the text", what);
  check(H5Tset_size(type.id(), std::max<std::size_t>(size, 1)), "describe the text", what);
  check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "describe the text", what);
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "describe the text", what);
  return type;
}

// Without the padding.
std::string stripped(const char* text, std::size_t size) {
  while (size > 0 && text[size - 1] == '\0') --size;
  return {text, size};
}

// The size of a type of text in a file, refusing all other types.
std::size_t text_size(hid_t type, const std::string& what) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    throw InputError("cannot read " + what + ": it is not a text of fixed length");
  return H5Tget_size(type);
}

// Properties of every file: the newest format, which allows appending that survives a kill; no failure where
// the file system has no locks.
Hdf5Handle file_access(const std::string& path) {
  Hdf5Handle access = own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "prepare", path);
  check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "prepare", path);
  check(H5Pset_file_locking(access.id(), true, true), "prepare", path);
  return access;
}

herr_t take_name(hid_t /*object*/, const char* name, const H5A_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

// Texts of any length, as other programs write them.
std::vector<std::string> read_variable_texts(hid_t dataset, hid_t type, hid_t space, std::size_t count,
                                             const std::string& what) {
  std::vector<char*> pointers(count, nullptr);
  if (count > 0) check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), "read", what);
  std::vector<std::string> texts;
  for (const char* text : pointers) texts.emplace_back(text == nullptr ? "" : text);
  if (count > 0) check(H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data()), "read", what);
  return texts;
}

// A copy in the directory for temporary files that forgot its writer; the copy is gone when it is closed.
hid_t open_copy(const std::string& path) {
  std::error_code error;
  std::string copy = (std::filesystem::temp_directory_path(error) / "delassus-XXXXXX").string();
  const int descriptor = mkstemp(copy.data());
  if (descriptor < 0) return -1;
  ::close(descriptor);
  hid_t file = -1;
  if (std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing, error)) {
    const Hdf5Handle access = file_access(path);
    const hbool_t yes = true;
    if (H5Pset(access.id(), k_clear_flags, &yes) >= 0)
      file = H5Fopen(copy.c_str(), H5F_ACC_RDWR, access.id());
  }
  ::unlink(copy.c_str());
  return file;
}

}  // namespace

Hdf5Handle::Hdf5Handle(Hdf5Handle&& other) noexcept
    : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  if (this != &other) {
    close();
    id_ = std::exchange(other.id_, -1);
    closer_ = other.closer_;
  }
  return *this;
}

bool Hdf5Handle::close() {
  if (id_ < 0) return true;
  silence();
  return closer_(std::exchange(id_, -1)) >= 0;
}

// --- datasets

std::int64_t Hdf5Dataset::row_size() const {
  return product({shape_.begin() + 1, shape_.end()});
}

void Hdf5Dataset::append_rows(Hdf5Type type, const void* values, std::int64_t size, std::int64_t rows) {
  assert(size == rows * row_size());
  if (rows == 0) return;
  silence();
  const std::vector<hsize_t> extent = with_rows(shape_[0] + rows, shape_);
  check(H5Dset_extent(handle_.id(), extent.data()), "extend", label_);
  if (size > 0) {
    const Hdf5Handle file_space = own(H5Dget_space(handle_.id()), H5Sclose, "write", label_);
    std::vector<hsize_t> start(shape_.size(), 0);
    start[0] = static_cast<hsize_t>(shape_[0]);
    const std::vector<hsize_t> count = with_rows(rows, shape_);
    check(H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
          "write", label_);
    const Hdf5Handle space = make_space(count, nullptr, label_);
    check(H5Dwrite(handle_.id(), memory_type(type), space.id(), file_space.id(), H5P_DEFAULT, values),
          "write", label_);
  }
  shape_[0] += rows;
}

void Hdf5Dataset::overwrite_all(Hdf5Type type, const void* values, [[maybe_unused]] std::int64_t size) {
  assert(size == product(shape_));
  silence();
  check(H5Dwrite(handle_.id(), memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write", label_);
}

void Hdf5Dataset::read_rows(Hdf5Type type, void* values, std::int64_t rows) const {
  assert(rows >= 0 && rows <= shape_[0]);
  if (rows == 0 || row_size() == 0) return;
  silence();
  const Hdf5Handle file_space = own(H5Dget_space(handle_.id()), H5Sclose, "read", label_);
  const std::vector<hsize_t> start(shape_.size(), 0);
  const std::vector<hsize_t> count = with_rows(rows, shape_);
  check(H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
        "read", label_);
  const Hdf5Handle space = make_space(count, nullptr, label_);
  check(H5Dread(handle_.id(), memory_type(type), space.id(), file_space.id(), H5P_DEFAULT, values), "read",
        label_);
}

void Hdf5Dataset::flush() {
  silence();
  check(H5Dflush(handle_.id()), "write", label_);
}

void Hdf5Dataset::close() {
  if (!handle_.close()) fail("write", label_);
}

// --- files: creation

Hdf5File Hdf5File::create(const std::string& path) {
  silence();
  // A file that someone still reads lives on without a name.
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) std::filesystem::remove(path, error);
  const Hdf5Handle access = file_access(path);
  const Hdf5Handle creation = own(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "prepare", path);
  check(H5Pset_file_space_strategy(creation.id(), H5F_FSPACE_STRATEGY_PAGE, false, 1), "prepare", path);
  check(H5Pset_file_space_page_size(creation.id(), k_page_bytes), "prepare", path);
  Hdf5File file;
  file.path_ = path;
  file.handle_ =
      own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose, "create", path);
  return file;
}

Hdf5File Hdf5File::create_portable(const std::string& path) {
  silence();
  Hdf5File file;
  file.path_ = path;
  file.handle_ =
      own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "create", path);
  return file;
}

void Hdf5File::create_group(const std::string& name) {
  own(H5Gcreate2(handle_.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "create",
      label(name));
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, const std::string& text) {
  const std::string what = label(object + "@" + name);
  const Hdf5Handle type = text_type(text.size(), what);
  const Hdf5Handle space = own(H5Screate(H5S_SCALAR), H5Sclose, "describe the shape of", what);
  const Hdf5Handle attribute = own(H5Acreate_by_name(handle_.id(), object.c_str(), name.c_str(), type.id(),
                                                     space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                   H5Aclose, "create", what);
  check(H5Awrite(attribute.id(), type.id(), text.c_str()), "write", what);
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  write_number_attribute(object, name, Hdf5Type::int64, &value);
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, double value) {
  write_number_attribute(object, name, Hdf5Type::float64, &value);
}

void Hdf5File::write_number_attribute(const std::string& object, const std::string& name, Hdf5Type type,
                                      const void* value) {
  const std::string what = label(object + "@" + name);
  const Hdf5Handle space = own(H5Screate(H5S_SCALAR), H5Sclose, "describe the shape of", what);
  const Hdf5Handle attribute =
      own(H5Acreate_by_name(handle_.id(), object.c_str(), name.c_str(), file_type(type), space.id(),
                            H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          H5Aclose, "create", what);
  check(H5Awrite(attribute.id(), memory_type(type), value), "write", what);
}

void Hdf5File::write_text(const std::string& name, const std::string& text) {
  const std::string what = label(name);
  const Hdf5Handle type = text_type(text.size(), what);
  const Hdf5Handle space = own(H5Screate(H5S_SCALAR), H5Sclose, "describe the shape of", what);
  Hdf5Handle dataset = own(
      H5Dcreate2(handle_.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, "create", what);
  check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), "write", what);
  close_written(dataset, what);
}

void Hdf5File::write_texts(const std::string& name, const std::vector<std::string>& texts) {
  const std::string what = label(name);
  std::size_t size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size());
  std::vector<char> padded(size * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(), padded.begin() + static_cast<std::ptrdiff_t>(i * size));
  const Hdf5Handle type = text_type(size, what);
  const Hdf5Handle space = make_space({texts.size()}, nullptr, what);
  Hdf5Handle dataset = own(
      H5Dcreate2(handle_.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, "create", what);
  if (!texts.empty())
    check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), "write", what);
  close_written(dataset, what);
}

Hdf5Dataset Hdf5File::create_table(const std::string& name, Hdf5Type type,
                                   const std::vector<std::int64_t>& row_shape) {
  Hdf5Dataset table;
  table.label_ = label(name);
  table.shape_.assign(1, 0);
  table.shape_.insert(table.shape_.end(), row_shape.begin(), row_shape.end());
  // An empty row still needs a chunk that holds something.
  std::vector<hsize_t> chunk(table.shape_.begin(), table.shape_.end());
  for (hsize_t& size : chunk) size = std::max<hsize_t>(size, 1);
  std::vector<hsize_t> largest = chunk;
  largest[0] = H5S_UNLIMITED;
  const std::int64_t row_bytes =
      std::max<std::int64_t>(table.row_size(), 1) * (type == Hdf5Type::uint8 ? 1 : 8);
  chunk[0] = static_cast<hsize_t>(std::clamp<std::int64_t>(k_chunk_bytes / row_bytes, 1, k_chunk_bytes / 8));
  const Hdf5Handle properties = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "prepare", table.label_);
  check(H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()), "prepare", table.label_);
  const Hdf5Handle space = make_space(with_rows(0, table.shape_), largest.data(), table.label_);
  table.handle_ = own(H5Dcreate2(handle_.id(), name.c_str(), file_type(type), space.id(), H5P_DEFAULT,
                                 properties.id(), H5P_DEFAULT),
                      H5Dclose, "create", table.label_);
  return table;
}

Hdf5Dataset Hdf5File::create_array(const std::string& name, Hdf5Type type, std::int64_t size) {
  Hdf5Dataset array;
  array.label_ = label(name);
  array.shape_.assign(1, size);
  const Hdf5Handle properties = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "prepare", array.label_);
  check(H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY), "prepare", array.label_);
  check(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_ALLOC), "prepare", array.label_);
  const Hdf5Handle space = make_space(with_rows(size, array.shape_), nullptr, array.label_);
  array.handle_ = own(H5Dcreate2(handle_.id(), name.c_str(), file_type(type), space.id(), H5P_DEFAULT,
                                 properties.id(), H5P_DEFAULT),
                      H5Dclose, "create", array.label_);
  return array;
}

void Hdf5File::start_appending() {
  silence();
  check(H5Fstart_swmr_write(handle_.id()), "write", path_);
}

void Hdf5File::flush() {
  silence();
  check(H5Fflush(handle_.id(), H5F_SCOPE_GLOBAL), "write", path_);
}

void Hdf5File::close() {
  flush();
  if (!handle_.close()) fail("write", path_);
}

void Hdf5File::abandon() {
  void* descriptor = nullptr;
  silence();
  const std::int64_t id = handle_.id();
  handle_.release();
  if (id < 0 || H5Fget_vfd_handle(id, H5P_DEFAULT, &descriptor) < 0) return;
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, *static_cast<int*>(descriptor));  // gives the file back to the system
  ::close(nowhere);
}

// --- files: reading

Hdf5File Hdf5File::open(const std::string& path) {
  silence();
  const Hdf5Handle access = file_access(path);
  check(H5Pset_metadata_read_attempts(access.id(), k_read_attempts), "prepare", path);
  hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id());
  // Being written, or its writer was killed.
  if (id < 0) id = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.id());
  if (id < 0) {
    const std::string why = reason();
    // Open in this very process, or killed before its first row.
    if (H5Fis_hdf5(path.c_str()) > 0) id = open_copy(path);
    if (id < 0) throw InputError("cannot open " + path + ": " + why);
  }
  Hdf5File file;
  file.path_ = path;
  file.handle_ = Hdf5Handle(id, H5Fclose);
  return file;
}

bool Hdf5File::contains(const std::string& name) const {
  silence();
  return H5Lexists(handle_.id(), name.c_str(), H5P_DEFAULT) > 0;
}

std::string Hdf5File::read_text_attribute(const std::string& object, const std::string& name) const {
  const std::string what = label(object + "@" + name);
  silence();
  const Hdf5Handle attribute =
      own(H5Aopen_by_name(handle_.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
          "read", what);
  const Hdf5Handle type = own(H5Aget_type(attribute.id()), H5Tclose, "read", what);
  std::vector<char> text(text_size(type.id(), what));
  check(H5Aread(attribute.id(), type.id(), text.data()), "read", what);
  return stripped(text.data(), text.size());
}

std::int64_t Hdf5File::read_integer_attribute(const std::string& object, const std::string& name) const {
  const std::string what = label(object + "@" + name);
  silence();
  const Hdf5Handle attribute =
      own(H5Aopen_by_name(handle_.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
          "read", what);
  std::int64_t value = 0;
  check(H5Aread(attribute.id(), H5T_NATIVE_INT64, &value), "read", what);
  return value;
}

std::vector<Hdf5Attribute> Hdf5File::read_attributes(const std::string& object) const {
  const std::string what = label(object);
  silence();
  const Hdf5Handle owner = own(H5Oopen(handle_.id(), object.c_str(), H5P_DEFAULT), H5Oclose, "read", what);
  std::vector<std::string> names;
  hsize_t position = 0;
  check(H5Aiterate2(owner.id(), H5_INDEX_NAME, H5_ITER_INC, &position, take_name, &names), "read", what);
  std::vector<Hdf5Attribute> attributes;
  for (const std::string& name : names) {
    const std::string whose = label(object + "@" + name);
    const Hdf5Handle attribute = own(H5Aopen(owner.id(), name.c_str(), H5P_DEFAULT), H5Aclose, "read", whose);
    const Hdf5Handle type = own(H5Aget_type(attribute.id()), H5Tclose, "read", whose);
    const Hdf5Handle space = own(H5Aget_space(attribute.id()), H5Sclose, "read", whose);
    if (H5Sget_simple_extent_npoints(space.id()) != 1) continue;
    std::int64_t integer = 0;
    double number = 0;
    switch (H5Tget_class(type.id())) {
      case H5T_INTEGER:
        check(H5Aread(attribute.id(), H5T_NATIVE_INT64, &integer), "read", whose);
        attributes.push_back({name, integer});
        break;
      case H5T_FLOAT:
        check(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, &number), "read", whose);
        attributes.push_back({name, number});
        break;
      case H5T_STRING:
        if (H5Tis_variable_str(type.id()) == 0)
          attributes.push_back({name, read_text_attribute(object, name)});
        break;
      default:
        break;
    }
  }
  return attributes;
}

std::string Hdf5File::read_text(const std::string& name) const {
  std::vector<std::string> texts = read_texts(name);
  if (texts.size() != 1) throw InputError("cannot read " + label(name) + ": it is not one text");
  return texts[0];
}

std::vector<std::string> Hdf5File::read_texts(const std::string& name) const {
  const std::string what = label(name);
  silence();
  const Hdf5Handle dataset = own(H5Dopen2(handle_.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "read", what);
  const Hdf5Handle type = own(H5Dget_type(dataset.id()), H5Tclose, "read", what);
  const Hdf5Handle space = own(H5Dget_space(dataset.id()), H5Sclose, "read", what);
  const auto count =
      static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space.id()), 0));
  if (H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) > 0)
    return read_variable_texts(dataset.id(), type.id(), space.id(), count, what);
  const std::size_t size = text_size(type.id(), what);
  std::vector<char> padded(size * count);
  if (count > 0)
    check(H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), "read", what);
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) texts.push_back(stripped(padded.data() + i * size, size));
  return texts;
}

Hdf5Dataset Hdf5File::open_dataset(const std::string& name) const {
  Hdf5Dataset dataset;
  dataset.label_ = label(name);
  silence();
  dataset.handle_ = own(H5Dopen2(handle_.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "read", dataset.label_);
  const Hdf5Handle space = own(H5Dget_space(dataset.handle_.id()), H5Sclose, "read", dataset.label_);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space.id()), 0)));
  if (sizes.empty()) throw InputError("cannot read " + dataset.label_ + ": it is not a table");
  check(H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr), "read", dataset.label_);
  dataset.shape_.assign(sizes.begin(), sizes.end());
  return dataset;
}

}  // namespace delassus
