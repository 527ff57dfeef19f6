// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Model → System: the batched mass matrix, forces, joint and contact rows of a multibody model.
//
//   particle    q: x                 v: ẋ                                        M = m I₃
//   rigid body  q: x, ρ (w,x,y,z)    v: ẋ in world axes, ω in body axes          M = diag(m I₃, J)
//               (x, ρ) ⊞ (w_x, w_φ) = (x + w_x, ρ exp(w_φ/2));  gyroscopic force −ω × Jω,
//               ∂/∂ω = [Jω]× − [ω]×J                                                              [S2 46-54]
//   signal      an input: one more entry of q, the last ones, not of v; q ⊞ w keeps it
//   angle of a joint  one more entry of q, not of v: the angle with its turns. q ⊞ w keeps it on the branch of
//               atan2 nearest to angle + gᵀw, so that gears, screws and motors know how often they have turned.
//
// x is the centre of mass. Joints, coordinates and line elements are rows of pair functions
// (model/joint/pair_function.hpp): ξ with gradient g and curvature K = ∂g/∂q, for which
//
//   force f on ξ:      k = f g,   ∂k/∂q = f_ξ g gᵀ + f K + f_ξ̇ g (KᵀV)ᵀ,   ∂k/∂v = f_ξ̇ g gᵀ              (1)
//   equation Θ = ξ:    row gᵀ,    Θ̈ = gᵀV̇ + VᵀKV,   ∂(gλ)/∂q = λK                                        (2)
//
// The rank-one parts of (1) with f_ξ, f_ξ̇ ≤ 0 are the springs and dampers of S0 (10.13-10.14), f K + … what they leave
// out.
#pragma once
#include <array>

#include "delassus/collision/collision_world.hpp"
#include "delassus/collision/contact_geometry.hpp"
#include "delassus/model/joint/body_row.hpp"
#include "delassus/model/model.hpp"
#include "delassus/system/state.hpp"
#include "delassus/system/system.hpp"

namespace delassus {

class MultibodySystem final : public System {
 public:
  // Throws InputError when the model is not valid.
  explicit MultibodySystem(Model model);

  const Model& model() const { return model_; }
  // The initial state that the model's bodies carry.
  State initial_state() const;

  // Pairs of shapes that overlap by more than `tolerance` at (t, q).
  std::vector<CollisionWorld::Overlap> overlaps(double t, const VectorRef& q, double tolerance) const;
  std::string shape_name(int shape) const { return world_.shape_name(shape); }

  int nq() const override { return nq_; }
  int nv() const override { return nv_; }
  std::string coordinate_name(int i) const override;
  std::string velocity_name(int i) const override;
  std::string joint_name(int row) const override;
  int num_signals() const override { return static_cast<int>(model_.signals.size()); }
  std::string signal_name(int i) const override { return model_.signals[i].name; }
  std::string contact_name(ContactId id) const override;
  void retract(const VectorRef& q, const VectorRef& w, Vector& out) const override;
  void difference(const VectorRef& q1, const VectorRef& q0, Vector& w) const override;
  void rate_from_velocity(const VectorRef& w, const VectorRef& v, Vector& rate) const override;
  void velocity_from_rate(const VectorRef& w, const VectorRef& rate, Vector& v) const override;
  void mass(double t, const VectorRef& q, BlockMatrix& M) const override;
  void forces(double t, const VectorRef& q, const VectorRef& v, Vector& k) const override;
  void force_jacobians(double t, const VectorRef& q, const VectorRef& v, ForceJacobians& out) const override;
  double potential_energy(double t, const VectorRef& q) const override;
  double nonconservative_power(double t, const VectorRef& q, const VectorRef& v) const override;
  void bilateral(double t, const VectorRef& q, BilateralRows& out) const override;
  void bilateral_bias(double t, const VectorRef& q, const VectorRef& v, Vector& bias) const override;
  void add_bilateral_stiffness(double t, const VectorRef& q, const VectorRef& lambda, double scale,
                               BlockMatrix& out) const override;
  void friction_rows(double t, const VectorRef& q, FrictionRows& out) const override;
  void candidates(double t, const VectorRef& q, const VectorRef& v, double h,
                  std::vector<ContactId>& ids) const override;
  bool has_contacts() const override;
  using System::gaps;
  void gaps(std::span<const ContactId> ids, double t, const VectorRef& q, Vector& gaps,
            Vector* margins) const override;
  double contact_step_limit(std::span<const ContactId> ids, double t, const VectorRef& q, const VectorRef& v,
                            double h) const override;
  ContactId successor(ContactId id, double t, const VectorRef& q) const override;
  void contact_rows(std::span<const ContactId> ids, double t, const VectorRef& q,
                    ContactRows& out) const override;
  void gaps_and_rows(std::span<const ContactId> ids, double t, const VectorRef& q, Vector& gaps,
                     Vector& margins, ContactRows& out) const override;
  bool has_moving_surfaces() const override { return !kinematic_bodies_.empty(); }
  void contact_bias(std::span<const ContactId> ids, double t, const VectorRef& q, const VectorRef& v,
                    Vector& bias) const override;
  void contact_frame(ContactId id, double t, const VectorRef& q, Vector3& point,
                     Matrix3& frame) const override;
  ContactBodies contact_bodies(ContactId id) const override;
  int num_bodies() const override { return static_cast<int>(model_.bodies.size()); }
  std::string body_name(int i) const override { return model_.bodies[i].name; }
  void body_motions(double t, const VectorRef& q, const VectorRef& v,
                    std::vector<BodyMotion>& out) const override;
  Vector3 body_center(int i) const override { return model_.bodies[i].center_of_mass; }
  int num_joint_coordinates() const override { return num_named_coordinates_; }
  std::string joint_coordinate_name(int i) const override { return coordinates_[i].name; }
  bool joint_coordinate_is_angle(int i) const override { return coordinates_[i].turn >= 0; }
  void joint_coordinates(double t, const VectorRef& q, const VectorRef& v, Vector& values,
                         Vector& rates) const override;
  int num_reactions() const override { return static_cast<int>(model_.joints.size() + model_.motors.size()); }
  std::string reaction_name(int i) const override;
  void reactions(double t, const VectorRef& q, const VectorRef& v, const VectorRef& lambda,
                 std::vector<JointReaction>& out) const override;

 private:
  // Where a body's degrees of freedom stand; without any, q and v are −1.
  struct Place {
    int q = -1, v = -1;
    int nv = 0;  // 0, 3 or 6
  };
  // A scalar ξ of the configuration.
  struct Coordinate {
    std::string name;
    PairFunction function;
    int turn = -1;  // entry of q that counts the turns of an angle
  };
  struct Term {
    int coordinate;
    double coefficient;
  };
  // Rows of G that belong together.
  struct RowGroup {
    enum class Kind { pair, coordinates, rolling };
    Kind kind = Kind::pair;
    std::string name;
    bool holonomic = true;
    int first = 0, count = 0;  // pair: of equations_; rolling: of body_rows_
    // Σ c_i ξ_i + Σ body rows = offset + law; on velocities when not holonomic.
    std::vector<Term> terms;
    std::vector<BodyRow> body_rows;
    double offset = 0;
    TimeLaw law;
    int signal = -1;                        // times this one
    Vector3 plane_point = Vector3::Zero();  // rolling
    int num_rows() const { return kind == Kind::coordinates ? 1 : count; }
  };
  struct CoordinateElement {
    int coordinate = 0;
    double stiffness = 0, rest = 0, damping = 0;
    TimeLaw target;     // of a servo
    CoordinateLaw law;  // instead of all the others
    int signal = -1;    // target and law are multiplied by this one
    CoordinateForce force(double t, double x, double v, double signal_value) const;
    bool has_potential() const { return !law && !target; }
  };
  struct LimitContact {
    int limit = 0;
    double sign = 1, bound = 0;  // gap = sign (ξ − bound)
  };
  // A pair function at (t, q, v) with the turns counted.
  struct Evaluation {
    PairValue pair;
    Vector12 V;  // velocities of both bodies, prescribed ones included
  };

  void place_bodies();
  void make_joints();
  void make_elements();
  void make_contacts();
  int coordinate_index(const CoordinateRef& ref) const;
  int add_coordinate(std::string name, const PairFunction& function);
  // In axes and from the centre of mass of the body.
  Attachment shifted(const Attachment& attachment) const;
  Joint shifted(const Joint& joint) const;

  // What an element with this signal is multiplied by.
  double signal_value(int signal, const VectorRef& q) const {
    return signal < 0 ? 1.0 : q[nq_ - num_signals() + signal];
  }
  CoordinateForce force_of(const CoordinateElement& element, double t, double x, double v,
                           const VectorRef& q) const {
    return element.force(t, x, v, signal_value(element.signal, q));
  }
  // `v` null: dynamic bodies at rest.
  BodyKinematics kinematics(int body, double t, const VectorRef& q, const double* v) const;
  void evaluate_pair(const PairFunction& f, double t, const VectorRef& q, const double* v, bool curvature,
                     Evaluation& out) const;
  void evaluate_coordinate(int coordinate, double t, const VectorRef& q, const double* v, bool curvature,
                           Evaluation& out) const;
  double on_branch(int coordinate, double angle, const VectorRef& q) const;
  // What prescribed motions contribute to ξ̈.
  double prescribed_acceleration(const PairFunction& f, double t, const VectorRef& q,
                                 const Vector12& g) const;

  void add_pair_row(const PairFunction& f, const Vector12& g, double scale, BlockRows& rows) const;
  void add_pair_force(const PairFunction& f, const Vector12& g, double scale, Vector& k) const;
  void add_pair_block(const PairFunction& f, const Matrix12& K, double scale, BlockMatrix& out) const;
  void add_pair_rows(const RowGroup& group, double t, const VectorRef& q, int row, BilateralRows& out) const;
  void add_coordinate_row(const RowGroup& group, double t, const VectorRef& q, int row,
                          BilateralRows& out) const;
  void add_rolling_rows(const RowGroup& group, double t, const VectorRef& q, int row,
                        BilateralRows& out) const;
  void add_pair_biases(const RowGroup& group, double t, const VectorRef& q, const VectorRef& v, int row,
                       Vector& bias) const;
  // Of a group that is not of pair functions.
  double row_bias(const RowGroup& group, int index, double t, const VectorRef& q, const VectorRef& v) const;

  // The force or torque of an applied force, in its axes.
  Vector3 applied_value(const AppliedForce& f, const ForceFunction& function, double t, const VectorRef& q,
                        const Vector3& point, const Vector3& velocity, Matrix3* by_x = nullptr,
                        Matrix3* by_v = nullptr) const;
  void add_applied(const AppliedForce& f, double t, const VectorRef& q, const VectorRef& v, Vector& k) const;
  void add_applied_jacobians(const AppliedForce& f, double t, const VectorRef& q, const VectorRef& v,
                             ForceJacobians& out) const;
  void evaluate_bushing(std::size_t i, double t, const VectorRef& q, const double* v, Vector6& xi,
                        Eigen::Matrix<double, 6, 12>& J, Vector12& V) const;
  void add_bushing_jacobians(std::size_t i, double t, const VectorRef& q, const VectorRef& v,
                             ForceJacobians& out) const;
  void add_element_differences(const ForceElement& element, const std::vector<int>& bodies, double t,
                               const VectorRef& q, const VectorRef& v, Matrix& by_q, Matrix& by_v) const;
  void add_element_jacobians(const ForceElement& element, double t, const VectorRef& q, const VectorRef& v,
                             ForceJacobians& out) const;

  // Motions of the kinematic bodies at t, evaluated once a call, on its thread: functions of the user are never called by
  // several threads at once. Valid until the next call of the thread.
  std::span<const BodyKinematics> known_motions(double t, const VectorRef& q, const double* v,
                                                std::size_t num_contacts) const;
  BodyKinematics contact_kinematics(int body, std::span<const BodyKinematics> known, const VectorRef& q,
                                    const double* v) const;
  // A contact of shapes at (t, q, v), with its frame.
  struct ShapeContactState {
    int body_a = 0, body_b = 0;
    BodyKinematics a, b;
    FeatureContact contact;
    Matrix3 frame;                   // rows: normal, tangents
    Vector3 arm_a, arm_b;            // from the centres of mass to the points of contact, world axes
    Vector3 omega_a, omega_b;        // world axes
    Vector3 velocity_a, velocity_b;  // of the material points
    Vector3 surface_velocity_a, surface_velocity_b;  // of the surfaces beside those, not yet projected
    // Of elliptic friction, world axes; without one the frame is that of the normal alone.
    bool has_axis = false;
    Vector3 axis, axis_rate;
    double tangent_ratio = 1;  // of ContactSurface
    // Of an angular velocity: components about t1, t2 and n.
    Vector3 turning(const Vector3& omega) const;
  };
  ShapeContactState shape_contact(const CollisionWorld::Ends& ends, const BodyKinematics& a,
                                  const BodyKinematics& b) const;
  ShapeContactState shape_contact(const CollisionWorld::Ends& ends, std::span<const BodyKinematics> known,
                                  const VectorRef& q, const double* v) const;
  void place_shapes(double t, const VectorRef& q, const double* v, std::vector<BodyPlacement>& out) const;
  void add_shape_group(ContactId id, ContactRows& out) const;
  // The contact as it was found there.
  FeatureContact fill_shape_rows(ContactId id, int group, std::span<const BodyKinematics> known,
                                 const VectorRef& q, ContactRows& out) const;
  // The groups of all contacts, those of shapes still empty.
  void add_groups(std::span<const ContactId> ids, double t, const VectorRef& q, ContactRows& out) const;
  double listed_gap(ContactId id, double t, const VectorRef& q) const;  // of a contact that is not of shapes
  // `out`: as many entries as the contact has rows.
  void shape_bias(ContactId id, std::span<const BodyKinematics> known, const VectorRef& q, const VectorRef& v,
                  Eigen::Ref<Vector> out) const;
  int num_contact_rows(ContactId id) const;

  ContactGeometry geometry(ContactId id, const VectorRef& q, const VectorRef* v) const;
  // Listed contacts come first: planes, pairs, limits; ids of shapes are far above.
  std::size_t num_listed() const {
    return model_.plane_contacts.size() + model_.pair_contacts.size() + limits_.size();
  }
  static bool is_shape(ContactId id) { return id >= CollisionWorld::k_first_id; }
  bool is_plane(ContactId id) const { return id < model_.plane_contacts.size(); }
  bool is_limit(ContactId id) const {
    return !is_shape(id) && id >= model_.plane_contacts.size() + model_.pair_contacts.size();
  }
  const PairContact& pair(ContactId id) const {
    return model_.pair_contacts[id - model_.plane_contacts.size()];
  }
  const LimitContact& limit(ContactId id) const {
    return limits_[id - model_.plane_contacts.size() - model_.pair_contacts.size()];
  }

  Model model_;
  int nq_ = 0, nv_ = 0;
  bool any_rigid_ = false;
  std::vector<Place> places_;
  std::vector<int> kinematic_bodies_;
  std::vector<int> kinematic_index_;     // of each body among these; −1: none of them
  std::vector<Coordinate> coordinates_;  // of joints and measures first: these have names
  int num_named_coordinates_ = 0;
  std::vector<int> first_coordinate_;    // of each joint
  std::vector<int> measure_coordinate_;  // of each measure
  std::vector<PairFunction> equations_;  // of joints
  std::vector<int> first_row_of_joint_;  // row of each joint in G
  std::vector<int> num_force_rows_;      // of each joint: its first rows are forces
  std::vector<RowGroup> row_groups_;     // holonomic ones first
  std::vector<int> group_of_row_;
  int num_holonomic_ = 0;
  std::vector<CoordinateElement> coordinate_elements_;
  std::vector<int> motor_rows_;      // row of G of each motor; −1 where it is a force
  std::vector<int> motor_elements_;  // coordinate element of each motor that is one; −1 otherwise
  struct BushingFrames {
    Attachment a, b;
    Matrix6 stiffness_axes, damping_axes;  // eigenvectors of K and C
    Vector6 stiffness, damping;            // eigenvalues
  };
  std::vector<BushingFrames> bushings_;
  std::vector<LimitContact> limits_;
  CollisionWorld world_;                    // the shapes
  std::vector<Vector3> reference_normals_;  // of the pair contacts, from the initial positions
};

}  // namespace delassus
