// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A scene as a user describes it: names instead of indices, words instead of symbols, the place of each
// element for messages.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delassus/base/error.hpp"
#include "delassus/base/expression.hpp"
#include "delassus/linalg/types.hpp"
#include "delassus/model/model.hpp"
#include "delassus/settings/run_settings.hpp"

namespace delassus {

// A name together with where it stands, for messages about what it refers to.
struct NameRef {
  std::string name;
  Place place;
};

struct ShapeDesc {
  Shape shape;  // without its groups
  Place place;
  std::vector<NameRef> groups;                  // empty: the default one
  std::optional<std::vector<NameRef>> touches;  // absent: all
};

struct BodyDesc {
  NameRef name;
  BodyKind kind = BodyKind::particle;
  std::optional<double> mass, density;
  Vector3 position = Vector3::Zero(), velocity = Vector3::Zero();
  Quaternion orientation = identity_quaternion();
  Vector3 angular_velocity = Vector3::Zero();  // in world axes
  std::optional<Matrix3> inertia;
  std::optional<Vector3> center_of_mass;
  std::vector<ShapeDesc> shapes;
  std::vector<Expression> motion;  // kinematic
  Place motion_place, angle_place;
  Vector3 axis = Vector3::UnitZ();
  std::optional<Expression> angle;
  double radius = 0.05;
};

// Where an element between two bodies sits; what is absent follows from the bodies as they lie at the start.
struct FramesDesc {
  std::vector<NameRef> between;
  Vector3 anchor = Vector3::Zero();  // of line elements
  std::optional<Vector3> point, axis, axis_2;
  std::optional<Vector3> point_a, point_b, axis_a, axis_b, reference_a, reference_b;
  Place axis_place;
};

// A coordinate of a joint, or a measure.
struct CoordinateDesc {
  NameRef joint;
  std::optional<NameRef> coordinate;
  double coefficient = 1;
};

struct JointDesc {
  NameRef name;
  std::string type;
  FramesDesc frames;
  std::optional<double> length, offset;
  double pitch = 0, ratio = 1, radius = 1;
  Vector3 guide_a = Vector3::Zero(), guide_b = Vector3::Zero();
  std::vector<CoordinateDesc> terms;  // gear, rack and pinion, coupler, pfaffian row
  // rolling disk, skate
  NameRef body;
  Vector3 center = Vector3::Zero(), direction = Vector3::UnitZ();
  Vector3 plane_point = Vector3::Zero(), plane_normal = Vector3::UnitY();
  struct BodyTerm {
    NameRef body;
    Vector3 point = Vector3::Zero(), linear = Vector3::Zero(), angular = Vector3::Zero();
    bool body_axes = false;
  };
  std::vector<BodyTerm> body_terms;  // pfaffian row
  std::optional<Expression> target;
  Place target_place, direction_place;
};

struct MeasureDesc {
  NameRef name;
  std::string type;
  FramesDesc frames;
};

struct MotorDesc {
  NameRef name;
  std::string type;
  CoordinateDesc coordinate;
  Expression law;
  Place law_place;
  double stiffness = 0, damping = 0;
  std::optional<NameRef> signal;
};

struct LimitDesc {
  NameRef name;
  CoordinateDesc coordinate;
  std::optional<double> lower, upper;
  double restitution = 0;
};

struct FrictionDesc {
  NameRef name;
  CoordinateDesc coordinate;
  double constant = 0, coefficient = 0;
  std::optional<double> radius;
  Place radius_place;
};

struct ForceDesc {
  NameRef name;
  std::string type;
  FramesDesc frames;  // spring, torsional, bushing
  double stiffness = 0, damping = 0;
  std::optional<double> rest;  // length, angle or coordinate without force
  NameRef body;                // applied
  std::vector<Expression> force, torque;
  Place force_place, torque_place;
  Vector3 point = Vector3::Zero();
  bool body_axes = false;
  CoordinateDesc coordinate;  // joint spring
  Matrix6 stiffness_matrix = Matrix6::Zero(), damping_matrix = Matrix6::Zero();
  Vector3 center = Vector3::Zero();  // point gravity
  Place center_place;
  double strength = 0;
  std::optional<NameRef> signal;  // applied
};

struct ContactDesc {
  enum class Kind { plane, pair };
  Kind kind = Kind::plane;
  NameRef name;
  NameRef body;  // plane
  Vector3 point = Vector3::Zero(), normal = Vector3::UnitY(), surface_velocity = Vector3::Zero();
  double radius = 0;
  std::vector<NameRef> between;  // pair
  double distance = 0;
  double friction = 0, restitution = 0;
  Place normal_place;
};

// How shapes touch. Defaults of materials have gone into the shapes.
struct CollisionDesc {
  struct Pair {
    Place place;
    std::vector<NameRef> bodies;
    PairRule rule;  // without its bodies
  };
  CollisionSettings settings;  // without its pairs
  std::vector<Pair> pairs;
};

struct LagrangianDesc {
  struct Row {
    NameRef name;
    Place place;                           // of the formula or the coefficients
    Expression formula;                    // Θ, φ, ψ or Φ
    double coefficient = 0;                // stiffness or damping
    std::vector<Expression> coefficients;  // Pfaffian row
    std::vector<std::vector<Expression>> tangents;
    std::vector<Expression> surface_velocity;
    double friction = 0, restitution = 0;
  };
  struct Body {
    NameRef name;
    std::vector<Expression> position;
    std::optional<Expression> angle;
    double radius = 0.05;
    std::vector<double> size;
  };
  Place place, mass_place, forces_place, potential_place;
  std::vector<std::string> coordinates, velocities;
  std::vector<char> angles;  // parallel to the coordinates; empty: none is one
  std::vector<double> position, velocity;
  std::vector<std::vector<Expression>> mass;
  std::vector<Expression> forces;
  std::optional<Expression> potential;
  bool coriolis = true;
  std::vector<Row> constraints, velocity_constraints, springs, dampers, contacts;
  std::vector<Body> bodies;
};

struct PictureDesc {
  bool plane = true;
  std::string name;
  Vector3 a = Vector3::Zero(), b = Vector3::Zero();  // point and normal, or the two ends
};

struct SceneDesc {
  std::string file;  // what messages call it
  std::string name, description;
  std::map<std::string, double> constants;
  Vector3 gravity{0, -9.81, 0};
  double duration = 1;
  std::vector<BodyDesc> bodies;
  std::vector<JointDesc> joints;
  std::vector<MeasureDesc> measures;
  std::vector<MotorDesc> motors;
  std::vector<LimitDesc> limits;
  std::vector<FrictionDesc> frictions;
  std::vector<ForceDesc> forces;
  std::vector<ContactDesc> contacts;
  CollisionDesc collision;
  std::optional<LagrangianDesc> lagrangian;
  RunSettings run;
  std::vector<PictureDesc> picture;
  // Of a program, in addition to those of the file; bodies by their index in the scene.
  std::vector<std::shared_ptr<const ForceElement>> elements;
};

// The names of all elements, in the order of the lists above.
std::vector<const NameRef*> element_names(const SceneDesc& scene);
// Where the element stands that a message names first (in quotes); the file alone when it names none.
Place place_of_message(const SceneDesc& scene, const std::string& message);

}  // namespace delassus
