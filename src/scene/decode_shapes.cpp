// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/decode_shapes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "delassus/base/files.hpp"
#include "delassus/model/mesh_file.hpp"
#include "delassus/scene/decode_mechanism.hpp"

namespace delassus {
namespace {

// Of files of heights: more points than any run could use.
constexpr std::size_t k_max_bytes = std::size_t{256} << 20;

CombineRule read_rule(const FieldReader& f, const std::string& key, CombineRule fallback) {
  static const std::pair<const char*, CombineRule> rules[] = {{"geometric", CombineRule::geometric},
                                                              {"minimum", CombineRule::minimum},
                                                              {"maximum", CombineRule::maximum},
                                                              {"average", CombineRule::average},
                                                              {"product", CombineRule::product}};
  const std::string name = f.choice(key, "");
  for (const auto& [word, rule] : rules)
    if (name == word) return rule;
  return fallback;
}

ShapeKind kind_of(const std::string& type) {
  static const std::pair<const char*, ShapeKind> kinds[] = {
      {"sphere", ShapeKind::sphere},   {"box", ShapeKind::box},     {"cylinder", ShapeKind::cylinder},
      {"capsule", ShapeKind::capsule}, {"cone", ShapeKind::cone},   {"ellipsoid", ShapeKind::ellipsoid},
      {"hull", ShapeKind::hull},       {"plane", ShapeKind::plane}, {"height_field", ShapeKind::height_field},
      {"mesh", ShapeKind::mesh}};
  for (const auto& [word, kind] : kinds)
    if (type == word) return kind;
  throw std::logic_error("no kind of shape '" + type + "'");
}

// Of which two keys exactly one is needed.
void require_one_of(const FieldReader& f, const char* a, const char* b) {
  if (f.has(a) && f.has(b))
    throw InputError(f.key_place(b),
                     fmt::format("{} has '{}' and '{}'; allowed: one of them", f.title(), a, b));
  if (!f.has(a) && !f.has(b))
    throw InputError(f.place(), fmt::format("{} lacks the key '{}' or '{}'", f.title(), a, b));
}

std::vector<Vector3> read_points(const FieldReader& f, const std::string& key) {
  std::vector<Vector3> out;
  for (const std::vector<double>& row : f.number_rows(key)) {
    require_count(f.place(key, out.size()), fmt::format("a row of '{}' of {}", key, f.title()), row.size(),
                  3);
    out.emplace_back(row[0], row[1], row[2]);
  }
  return out;
}

SharedPolygon read_polygon(const FieldReader& f) {
  const std::string key = "friction_polygon";
  std::vector<Eigen::Vector2d> corners;
  for (const std::vector<double>& row : f.number_rows(key)) {
    require_count(f.place(key, corners.size()), fmt::format("a row of '{}' of {}", key, f.title()),
                  row.size(), 2);
    corners.emplace_back(row[0], row[1]);
  }
  auto polygon = std::make_shared<ConvexPolygon>();
  if (const std::string wrong = ConvexPolygon::make(corners, *polygon); !wrong.empty())
    throw InputError(f.place(key), fmt::format("'{}' of {}: {}", key, f.title(), wrong));
  return {std::move(polygon)};
}

// Both edges or axes: three numbers > 0.
Vector3 read_size(const FieldReader& f) {
  const Vector3 size = f.vector3("size", Vector3::Zero());
  if (!(size.minCoeff() > 0))
    throw InputError(f.place("size"), fmt::format("'size' of {} is [{}, {}, {}]; allowed: three numbers > 0",
                                                  f.title(), size.x(), size.y(), size.z()));
  return size;
}

// Planes and height fields say which way is up, all shapes how they are turned.
Quaternion read_turn(const FieldReader& f) {
  if (!f.knows("normal") || f.has("rotation")) {
    if (f.knows("normal") && f.has("normal"))
      throw InputError(f.key_place("rotation"),
                       fmt::format("{} has a 'normal' and a 'rotation'; allowed: one of them", f.title()));
    return quaternion_exponential(f.vector3("rotation", Vector3::Zero()));
  }
  const Vector3 normal = read_direction(f, "normal").value_or(Vector3::UnitY());
  return quaternion_from_matrix(frame_with_axis(normal.normalized(), Vector3::UnitX()));
}

// Rows of numbers between blanks or commas; empty lines and what follows # are skipped.
std::vector<std::vector<double>> parse_rows(const std::string& text, const std::string& file) {
  std::vector<std::vector<double>> out;
  const char *at = text.data(), *const end = at + text.size();
  for (int line = 1; at != end; ++line) {
    const char* const begin = at;
    const char* const line_end = std::find(at, end, '\n');
    std::vector<double> row;
    const auto is_gap = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; };
    while (true) {
      while (at != line_end && is_gap(*at)) ++at;
      if (at == line_end || *at == '#') break;
      double number = 0;
      const auto [next, error] = std::from_chars(at, line_end, number);
      if (error != std::errc() || !std::isfinite(number) ||
          (next != line_end && !is_gap(*next) && *next != '#'))
        throw InputError(Place{file, line, static_cast<int>(at - begin) + 1},
                         fmt::format("{}; allowed: finite numbers",
                                     quote(std::string(at, std::find_if(at, line_end, is_gap)))));
      row.push_back(number);
      at = next;
    }
    if (!row.empty()) out.push_back(std::move(row));
    at = line_end == end ? end : line_end + 1;
  }
  return out;
}

}  // namespace

CollisionDesc read_collision(const FieldReader& scene) {
  CollisionDesc out;
  const auto f = scene.object("contact");
  if (!f) return out;
  CollisionSettings& s = out.settings;
  s.enabled = f->boolean("enabled", s.enabled);
  s.joined_bodies = f->boolean("joined_bodies", s.joined_bodies);
  s.envelope = f->number("envelope", s.envelope);
  s.reduce = f->boolean("reduce", s.reduce);
  if (const auto combine = f->object("combine")) {
    s.rules.friction = read_rule(*combine, "friction", s.rules.friction);
    s.rules.restitution = read_rule(*combine, "restitution", s.rules.restitution);
    s.rules.rolling = read_rule(*combine, "rolling", s.rules.rolling);
  }
  for (const FieldReader& p : f->objects("pairs")) {
    CollisionDesc::Pair pair{.place = p.place(), .bodies = p.names("bodies")};
    require_count(p.place("bodies"), "'bodies' of contact rule", pair.bodies.size(), 2);
    if (p.has("touch")) pair.rule.touch = p.boolean("touch", true);
    pair.rule.friction = p.optional_number("friction");
    pair.rule.kinetic_friction = p.optional_number("kinetic_friction");
    pair.rule.restitution = p.optional_number("restitution");
    pair.rule.rolling_friction = p.optional_number("rolling_friction");
    pair.rule.spinning_friction = p.optional_number("spinning_friction");
    out.pairs.push_back(std::move(pair));
  }
  return out;
}

ShapeReader::ShapeReader(const FieldReader& scene, const std::string& scene_file)
    : directory_(std::filesystem::path(scene_file).parent_path().string()) {
  if (const auto contact = scene.object("contact")) defaults_ = update(defaults_, *contact);
}

std::vector<ShapeDesc> ShapeReader::read(const FieldReader& body) {
  std::vector<ShapeDesc> out;
  read_list(body, update(defaults_, body), {}, out);
  return out;
}

// What is said here, and the rest as before. Only some tables have groups or a margin.
ShapeReader::Defaults ShapeReader::update(Defaults defaults, const FieldReader& f) {
  Material& m = defaults.material;
  m.friction = f.number("friction", m.friction);
  m.restitution = f.number("restitution", m.restitution);
  m.rolling_friction = f.number("rolling_friction", m.rolling_friction);
  m.spinning_friction = f.number("spinning_friction", m.spinning_friction);
  m.kinetic_friction = f.number("kinetic_friction", m.kinetic_friction);
  m.stribeck_speed = f.number("stribeck_speed", m.stribeck_speed);
  m.stribeck_exponent = f.number("stribeck_exponent", m.stribeck_exponent);
  m.viscous_friction = f.number("viscous_friction", m.viscous_friction);
  if (f.knows("friction_axis")) {
    m.friction_2 = f.number("friction_2", m.friction_2);
    m.friction_axis = f.vector3("friction_axis", m.friction_axis);
    m.surface_velocity = f.vector3("surface_velocity", m.surface_velocity);
    if (f.has("friction_polygon")) m.friction_polygon = read_polygon(f);
  }
  if (f.knows("margin")) defaults.margin = f.number("margin", defaults.margin);
  if (f.knows("collide")) defaults.collides = f.boolean("collide", defaults.collides);
  if (f.knows("groups") && f.has("groups")) {
    defaults.groups = f.names("groups");
    if (defaults.groups.empty())
      throw InputError(f.place("groups"),
                       fmt::format("'groups' of {} is empty; allowed: at least one name ('collide: false' "
                                   "for what touches nothing)",
                                   f.title()));
  }
  if (f.knows("touches") && f.has("touches")) defaults.touches = f.names("touches");
  return defaults;
}

void ShapeReader::read_list(const FieldReader& owner, const Defaults& defaults, const Frame& frame,
                            std::vector<ShapeDesc>& out) {
  std::set<std::string> names;
  int number = 0;
  for (const FieldReader& f : owner.objects("shapes")) {
    const std::string own = f.text("name", "");
    if (!own.empty() && !names.insert(own).second)
      throw InputError(
          f.place("name"),
          fmt::format("the name '{}' is used twice; names of shapes are unique in their list", own));
    const Defaults values = update(defaults, f);
    const Frame here{
        frame.position + rotate(frame.orientation, f.vector3("position", Vector3::Zero())),
        quaternion_product(frame.orientation, read_turn(f)).normalized(),
        frame.name.empty() ? own : frame.name + "." + (own.empty() ? std::to_string(number) : own)};
    ++number;
    if (f.table().type == "compound") {
      read_list(f, values, here, out);
      continue;
    }
    ShapeDesc desc{.shape = {.kind = kind_of(f.table().type)},
                   .place = f.place(),
                   .groups = values.groups,
                   .touches = values.touches};
    Shape& shape = desc.shape;
    read_measures(f, shape);
    shape.position = here.position;
    shape.orientation = here.orientation;
    shape.name = here.name;
    shape.collides = values.collides;
    shape.material = values.material;
    if (f.knows("margin")) shape.margin = values.margin;
    out.push_back(std::move(desc));
  }
}

void ShapeReader::read_measures(const FieldReader& f, Shape& shape) {
  if (f.knows("radius")) shape.radius = f.number("radius", 0);
  if (f.knows("length")) shape.length = f.number("length", 0);
  if (f.knows("size")) shape.size = read_size(f);
  if (shape.kind == ShapeKind::hull) shape.surface = read_hull(f);
  if (shape.kind == ShapeKind::mesh) shape.surface = read_surface(f);
  if (shape.kind == ShapeKind::height_field) shape.field = read_height_field(f);
}

std::shared_ptr<const Surface> ShapeReader::read_hull(const FieldReader& f) {
  require_one_of(f, "points", "file");
  if (f.has("file")) {
    // Only the points matter: an inner triangle would not be seen.
    Surface points = *load_surface(f);
    points.triangles.clear();
    return std::make_shared<const Surface>(std::move(points));
  }
  Surface out;
  out.vertices = read_points(f, "points");
  for (Vector3& point : out.vertices) point *= f.number("scale", 1);
  return std::make_shared<const Surface>(std::move(out));
}

std::shared_ptr<const Surface> ShapeReader::read_surface(const FieldReader& f) {
  require_one_of(f, "file", "vertices");
  if (f.has("file") && f.has("triangles"))
    throw InputError(f.key_place("triangles"),
                     fmt::format("{} has a 'file' and 'triangles'; allowed: one of them", f.title()));
  if (f.has("file")) return load_surface(f);
  if (!f.has("triangles"))
    throw InputError(f.place(), fmt::format("{} has 'vertices' but lacks the key 'triangles'", f.title()));
  Surface out;
  out.vertices = read_points(f, "vertices");
  for (Vector3& point : out.vertices) point *= f.number("scale", 1);
  const int n = static_cast<int>(out.vertices.size());
  for (const std::vector<double>& row : f.number_rows("triangles")) {
    const Place place = f.place("triangles", out.triangles.size());
    require_count(place, fmt::format("a row of 'triangles' of {}", f.title()), row.size(), 3);
    std::array<int, 3> triangle{};
    for (int k = 0; k < 3; ++k) {
      if (!(row[k] >= 0 && row[k] < n) || row[k] != std::floor(row[k]))
        throw InputError(place,
                         fmt::format("a corner of 'triangles' of {} is {}; allowed: whole numbers 0 … {}",
                                     f.title(), row[k], n - 1));
      triangle[k] = static_cast<int>(row[k]);
    }
    out.triangles.push_back(triangle);
  }
  return std::make_shared<const Surface>(std::move(out));
}

std::string ShapeReader::path_of(const FieldReader& f) const {
  return (std::filesystem::path(directory_) / f.text("file", "")).string();
}

std::shared_ptr<const Surface> ShapeReader::load_surface(const FieldReader& f) {
  const std::string path = path_of(f);
  const double scale = f.number("scale", 1);
  std::shared_ptr<const Surface>& known = surfaces_[{path, scale}];
  if (known) return known;
  try {
    Surface surface = read_mesh_file(path);
    for (Vector3& point : surface.vertices) point *= scale;
    known = std::make_shared<const Surface>(std::move(surface));
  } catch (const InputError& error) {
    throw InputError(f.place("file"), fmt::format("'file' of {}: {}", f.title(), error.what()));
  }
  return known;
}

std::shared_ptr<const HeightField> ShapeReader::read_height_field(const FieldReader& f) const {
  require_one_of(f, "heights", "file");
  const std::string key = f.has("file") ? "file" : "heights";
  HeightField out;
  std::vector<std::vector<double>> rows;
  if (key == "file") {
    out.file = path_of(f);
    try {
      rows = parse_rows(read_file(out.file, k_max_bytes), out.file);
    } catch (const InputError& error) {
      throw InputError(f.place(key), fmt::format("'file' of {}: {}", f.title(), error.what()));
    }
  } else {
    rows = f.number_rows(key);
  }
  const std::string what =
      fmt::format("'{}' of {}{}", key, f.title(), out.file.empty() ? "" : " (" + out.file + ")");
  if (rows.size() < 2 || rows[0].size() < 2)
    throw InputError(f.place(key), fmt::format("{} has {} rows of {} numbers; allowed: at least 2 of 2", what,
                                               rows.size(), rows.empty() ? 0 : rows[0].size()));
  out.nx = static_cast<int>(rows[0].size());
  out.ny = static_cast<int>(rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (rows[j].size() != rows[0].size())
      throw InputError(key == "file" ? f.place(key) : f.place(key, j),
                       fmt::format("row {} of {} has {} numbers; allowed: {}, as the first row has", j + 1,
                                   what, rows[j].size(), rows[0].size()));
    out.heights.insert(out.heights.end(), rows[j].begin(), rows[j].end());
  }
  const std::vector<double> spacing = f.numbers("spacing");
  require_count(f.place("spacing"), fmt::format("'spacing' of {}", f.title()), spacing.size(), 2);
  for (double step : spacing)
    if (!(step > 0))
      throw InputError(f.place("spacing"),
                       fmt::format("'spacing' of {} is [{}, {}]; allowed: two numbers > 0", f.title(),
                                   spacing[0], spacing[1]));
  out.dx = spacing[0];
  out.dy = spacing[1];
  return std::make_shared<const HeightField>(std::move(out));
}

}  // namespace delassus
