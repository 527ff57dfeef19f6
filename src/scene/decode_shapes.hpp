// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the shapes of a scene and how they touch. What a shape does not say is taken from the compound it belongs to,
// then from its body, then from the key `contact` of the scene. Compounds are taken apart: their shapes come out in the
// frame of the body.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "delassus/scene/fields.hpp"
#include "delassus/scene/scene_desc.hpp"

namespace delassus {

// `scene`: the map of the whole scene.
CollisionDesc read_collision(const FieldReader& scene);

class ShapeReader {
 public:
  // Files of shapes lie relative to the scene's.
  ShapeReader(const FieldReader& scene, const std::string& scene_file);

  // The list `shapes` of a body.
  std::vector<ShapeDesc> read(const FieldReader& body);

 private:
  // What shapes have that do not say it themselves.
  struct Defaults {
    bool collides = true;
    Material material = {};
    double margin = 0;
    std::vector<NameRef> groups = {};
    std::optional<std::vector<NameRef>> touches = {};
  };
  // Where a list of shapes stands in the body's frame, and how its names begin.
  struct Frame {
    Vector3 position = Vector3::Zero();
    Quaternion orientation = identity_quaternion();
    std::string name = {};
  };

  static Defaults update(Defaults defaults, const FieldReader& f);
  void read_list(const FieldReader& owner, const Defaults& defaults, const Frame& frame,
                 std::vector<ShapeDesc>& out);
  void read_measures(const FieldReader& f, Shape& shape);
  std::shared_ptr<const Surface> read_hull(const FieldReader& f);
  std::shared_ptr<const Surface> read_surface(const FieldReader& f);
  std::shared_ptr<const Surface> load_surface(const FieldReader& f);
  std::shared_ptr<const HeightField> read_height_field(const FieldReader& f) const;
  std::string path_of(const FieldReader& f) const;

  std::string directory_;
  Defaults defaults_;
  // Bodies that share a file share its triangles; by path and scale.
  std::map<std::pair<std::string, double>, std::shared_ptr<const Surface>> surfaces_;
};

}  // namespace delassus
