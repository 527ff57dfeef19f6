// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Model → System: the batched mass matrix, forces, joint and contact rows of a multibody model.
//
//   particle    q: x                 v: ẋ                                        M = m I₃
//   rigid body  q: x, ρ (w,x,y,z)    v: ẋ in world axes, ω in body axes          M = diag(m I₃, J)
//               (x, ρ) ⊞ (w_x, w_φ) = (x + w_x, ρ exp(w_φ/2));  gyroscopic force −ω × Jω,
//               ∂/∂ω = [Jω]× − [ω]×J                                                              [Tasora 2017, 46-54]
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
// The rank-one parts of (1) with f_ξ, f_ξ̇ ≤ 0 are the springs and dampers of Potra et al. 2006, (10.13-10.14), f K + … what they leave
// out.
#pragma once
#include <array>
#include <memory>

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

  bool divisible() const override { return true; }
  bool moves(int body) const override { return places_[body].nv > 0; }
  void ties(std::vector<std::vector<int>>& out) const override;
  int mover(ContactId id) const override;
  SystemPart part(std::span<const int> bodies) const override;
  void extend_reach(const Configuration& at, const VectorRef& v, double h, Reach& reach) const override;
  void meetings(const Reach& reach, std::vector<std::pair<int, int>>& bodies) const override;

  // Pairs of shapes that overlap by more than `tolerance` at (t, q).
  std::vector<CollisionWorld::Overlap> overlaps(double t, const VectorRef& q, double tolerance) const;
  // Width of the smaller shape [m].
  double overlap_size(const CollisionWorld::Overlap& overlap) const {
    return world_.pair_size({.shape_a = overlap.shape_a, .shape_b = overlap.shape_b});
  }
  std::string shape_name(int shape) const { return world_.shape_name(shape); }

  int nq() const override { return nq_; }
  int nv() const override { return nv_; }
  std::string coordinate_name(int i) const override;
  std::string velocity_name(int i) const override;
  bool velocity_is_angle(int i) const override;
  Sizes coordinate_sizes(const VectorRef& q) const override;
  std::string joint_name(int row) const override;
  bool joint_row_is_angle(int row) const override;
  std::string check_position(const VectorRef& q) const override;
  int num_signals() const override { return static_cast<int>(model_.signals.size()); }
  std::string signal_name(int i) const override { return model_.signals[i].name; }
  void retract(const VectorRef& q, const VectorRef& w, Vector& out) const override;
  void difference(const VectorRef& q1, const VectorRef& q0, Vector& w) const override;
  void rate_from_velocity(const VectorRef& w, const VectorRef& v, Vector& rate) const override;
  void velocity_from_rate(const VectorRef& w, const VectorRef& rate, Vector& v) const override;
  void configure(double t, const VectorRef& q, Configuration& out) const override;
  using Dynamics::mass, Dynamics::forces, Dynamics::force_jacobians, Dynamics::potential_energy,
      Dynamics::nonconservative_power, Dynamics::bilateral, Dynamics::bilateral_bias,
      Dynamics::add_bilateral_stiffness, Dynamics::friction_rows;
  const BlockMatrix* constant_mass() const override { return &M_; }
  void mass(const Configuration& /*at*/, BlockMatrix& M) const override { M = M_; }
  void leveled_mass(const Configuration& /*at*/, BlockMatrix& M) const override { M = leveled_M_; }
  bool depends_on_time() const override { return depends_on_time_; }
  void forces(const Configuration& at, const VectorRef& v, Vector& k) const override;
  void force_jacobians(const Configuration& at, const VectorRef& v, ForceJacobians& out) const override;
  void gyroscopic_step(const VectorRef& v, const VectorRef& impulse, double h, double alpha, bool exact,
                       std::span<const char> in_matrix, GyroscopicStep& out) const override;
  double potential_energy(const Configuration& at) const override;
  bool has_nonconservative_forces() const override {
    return !coordinate_elements_.empty() || !present_.applied_forces.empty() || !present_.bushings.empty() ||
           !present_.elements.empty();
  }
  double nonconservative_power(const Configuration& at, const VectorRef& v) const override {
    return nonconservative_power_along(at, v, v);
  }
  double nonconservative_power_along(const Configuration& at, const VectorRef& v,
                                     const VectorRef& along) const override;
  void bilateral(const Configuration& at, BilateralRows& out) const override;
  void bilateral_bias(const Configuration& at, const VectorRef& v, Vector& bias) const override;
  void add_bilateral_stiffness(const Configuration& at, const VectorRef& lambda, double scale,
                               BlockMatrix& out) const override;
  void friction_rows(const Configuration& at, FrictionRows& out) const override;
  bool has_contacts() const override;
  bool has_moving_surfaces() const override { return !kinematic_bodies_.empty(); }
  bool has_friction_polygons() const override { return world_.any_polygon(); }
  std::string contact_name(ContactId id) const override;
  bool has_contact(ContactId id) const override {
    return is_shape(id) ? world_.knows(id) : id < num_listed();
  }
  bool gap_is_angle(ContactId id) const override;
  bool is_stop(ContactId id) const override { return is_limit(id); }
  double contact_size(ContactId id) const override {
    if (is_limit(id)) return limit(id).size;
    return is_shape(id) ? world_.pair_size(world_.ends(id)) : 1.0;
  }
  ContactBodies contact_bodies(ContactId id) const override;
  void find_contacts(const Configuration& at, const VectorRef& v, double h, const ContactSet* known,
                     ContactSet& out) const override;
  void evaluate_contacts(std::span<const ContactId> ids, const Configuration& at,
                         ContactSet& out) const override;
  void contact_bias(const ContactSet& contacts, const Configuration& at, const VectorRef& v,
                    Vector& bias) const override;
  GapAt gap_at(ContactId id, double t, const VectorRef& q, const VectorRef& w) const override;
  ContactId successor(ContactId id, const Configuration& at) const override;
  double contact_step_limit(const ContactSet& contacts, std::span<const std::size_t> open,
                            const Configuration& at, const VectorRef& v, double h) const override;
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
    std::string name;            // for messages
    int joint = -1, motor = -1;  // of the model, which it belongs to
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
    double size = 1;             // width of the smallest shape that it moves [m], where it is a length
  };
  // A pair function at (t, q, v) with the turns counted.
  struct Evaluation {
    PairValue pair;
    Vector12 V;  // velocities of both bodies, prescribed ones included
  };

  // What a part of a model has of it; all of it otherwise. Ascending numbers.
  struct Present {
    std::vector<int> bodies;       // those of the part, and all without degrees of freedom
    std::vector<int> coordinates;  // with turns to count
    std::vector<int> applied_forces, bushings, elements, frictions;
    std::vector<int> shapes;
    std::vector<ContactId> listed;
  };
  // A part of `whole`, see part().
  MultibodySystem(const MultibodySystem& whole, std::span<const int> bodies, SystemPart& places);
  void make_present();
  // Bodies with degrees of freedom of the whole that these act on.
  void add_movers(const PairFunction& f, std::vector<int>& out) const;
  std::vector<int> movers_of(const RowGroup& group) const;
  std::vector<int> movers_of_listed(ContactId id) const;
  std::vector<int> movers_of_element(const ForceElement& element) const;
  template <class Keep>
  void select_present(const MultibodySystem& whole, const Keep& keep);
  template <class Keep>
  void select_rows(const MultibodySystem& whole, const Keep& keep, SystemPart& places);

  void place_bodies();
  void make_joints();
  void make_named_coordinates();
  std::vector<int> add_joint_groups();
  void add_coupler_groups();
  void add_motor_groups(std::vector<RowGroup>& velocity_groups);
  void add_rolling_groups(std::vector<RowGroup>& velocity_groups);
  void add_velocity_groups(std::vector<RowGroup>& velocity_groups) const;
  void number_rows(const std::vector<int>& first_group_of_joint,
                   const std::vector<RowGroup>& velocity_groups);
  void hold_coupler_offsets(std::size_t first_coupler);
  void make_elements();
  void make_contacts();
  void make_mass();
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
  // Of one body; of its motion only what is prescribed.
  BodyKinematics kinematics(int body, double t, const VectorRef& q) const;
  static const BodyKinematics& body_at(int body, const Configuration& at);
  // `v` null: dynamic bodies at rest.
  Vector6 velocity_of(int body, const Configuration& at, const double* v) const;
  BodyKinematics moving(int body, const Configuration& at, const VectorRef& v) const;
  // At q ⊞ w with the part of w that belongs to the body, at rest.
  BodyKinematics moved(int body, const Configuration& at, const Vector6& w) const;
  BodyKinematics moved(int body, double t, const VectorRef& q, const Vector6& w) const;
  Vector6 part_of(int body, const VectorRef& w) const;
  void evaluate_pair(const PairFunction& f, const Configuration& at, const double* v, bool curvature,
                     Evaluation& out) const;
  void evaluate_coordinate(int coordinate, const Configuration& at, const double* v, bool curvature,
                           Evaluation& out) const;
  double on_branch(int coordinate, double angle, const VectorRef& q) const;
  // The angle after the motion w from q, whole turns included; a, b: the bodies there.
  double followed_angle(const Coordinate& c, const VectorRef& q, const VectorRef& w, const BodyKinematics& a,
                        const BodyKinematics& b) const;
  // What prescribed motions contribute to ξ̈.
  double prescribed_acceleration(const PairFunction& f, const Configuration& at, const Vector12& g) const;

  void add_pair_row(const PairFunction& f, const Vector12& g, double scale, BlockRows& rows) const;
  void add_pair_force(const PairFunction& f, const Vector12& g, double scale, Vector& k) const;
  void add_pair_block(const PairFunction& f, const Matrix12& K, double scale, BlockMatrix& out) const;
  void add_pair_rows(const RowGroup& group, const Configuration& at, int row, BilateralRows& out) const;
  void add_coordinate_row(const RowGroup& group, const Configuration& at, int row, BilateralRows& out) const;
  void add_rolling_rows(const RowGroup& group, const Configuration& at, int row, BilateralRows& out) const;
  void add_pair_biases(const RowGroup& group, const Configuration& at, const VectorRef& v, int row,
                       Vector& bias) const;
  // Of a group that is not of pair functions.
  double row_bias(const RowGroup& group, int index, const Configuration& at, const VectorRef& v) const;

  // The force or torque of an applied force, in its axes.
  Vector3 applied_value(const AppliedForce& f, const ForceFunction& function, const Configuration& at,
                        const Vector3& point, const Vector3& velocity, Matrix3* by_x = nullptr,
                        Matrix3* by_v = nullptr) const;
  void add_applied(const AppliedForce& f, const Configuration& at, const VectorRef& v, Vector& k) const;
  void add_applied_jacobians(const AppliedForce& f, const Configuration& at, const VectorRef& v,
                             ForceJacobians& out) const;
  void evaluate_bushing(std::size_t i, const Configuration& at, const double* v, Vector6& xi,
                        Eigen::Matrix<double, 6, 12>& J, Vector12& V) const;
  void evaluate_bushing(std::size_t i, const BodyKinematics& a, const BodyKinematics& b, Vector6& xi,
                        Eigen::Matrix<double, 6, 12>& J) const;
  void add_bushing_jacobians(std::size_t i, const Configuration& at, const VectorRef& v,
                             ForceJacobians& out) const;
  void add_element_differences(const ForceElement& element, std::vector<BodyKinematics>& motions,
                               const Configuration& at, Matrix& by_q, Matrix& by_v) const;
  void add_element_jacobians(const ForceElement& element, const Configuration& at, const VectorRef& v,
                             ForceJacobians& out) const;

  // How the two surfaces of a contact of shapes move at (t, q, v), world axes.
  struct SurfaceMotion {
    Vector3 arm_a, arm_b;  // from the centres of mass to the points of contact
    Vector3 omega_a, omega_b;
    Vector3 velocity_a, velocity_b;                  // of the material points
    Vector3 surface_velocity_a, surface_velocity_b;  // of the surfaces beside those, not yet projected
  };
  SurfaceMotion surface_motion(const CollisionWorld::Ends& ends, const ContactPlace& place,
                               const Configuration& at, const double* v) const;
  // The axis of friction that depends on the direction, and the shape it belongs to; false: the contact has none, its frame is that of
  // the normal alone.
  bool friction_axis(const CollisionWorld::Ends& ends, const Configuration& at, const Vector3& normal,
                     Vector3& axis, int& shape) const;
  void place_shapes(const Configuration& at, const double* v, std::vector<BodyPlacement>& out) const;
  // What gravity adds within a step to the way of a body [m].
  double fall(double h) const { return 0.5 * h * h * model_.gravity.norm(); }
  // Ids, materials, rows and gaps of all contacts; those of shapes are still to be filled.
  void start_contacts(std::span<const ContactId> ids, const Configuration& at, ContactSet& out) const;
  int num_contact_rows(ContactId id, const CollisionWorld::Ends& ends) const;
  void start_shape(const CollisionWorld::Ends& ends, ContactSet& out) const;
  void add_limit(const LimitContact& limit, const Configuration& at, ContactSet& out) const;
  void add_particle_contact(ContactId id, const Configuration& at, ContactSet& out) const;
  // A contact of shapes that the narrow phase or an evaluation has found.
  void fill_shape(std::size_t c, const CollisionWorld::Ends& ends, const FeatureContact& contact,
                  const Configuration& at, ContactSet& out) const;
  // `out`: as many entries as the contact has rows.
  void shape_bias(const ContactSet& contacts, std::size_t c, const Configuration& at, const VectorRef& v,
                  Eigen::Ref<Vector> out) const;

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

  // Model and shapes are shared by the parts.
  std::shared_ptr<const Model> shared_model_;
  std::shared_ptr<const CollisionWorld> shared_world_;
  const Model& model_;
  const CollisionWorld& world_;
  Present present_;
  BlockMatrix M_, leveled_M_;
  bool depends_on_time_ = false;
  int nq_ = 0, nv_ = 0;
  std::vector<Place> places_;
  std::vector<int> kinematic_bodies_;
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
  std::vector<Vector3> reference_normals_;  // of the pair contacts, from the initial positions
};

}  // namespace delassus
