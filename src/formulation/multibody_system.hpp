// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Model → System: the batched mass matrix, forces, joint and contact rows of a multibody model.
//
//   q, v: x, y, z of each particle in turn (nq = nv = 3 n_b) · M = diag(m_i I₃)
//   distance joint   Gᵀ: (−dᵀ/L, dᵀ/L),  bias |ḋ|²/L                     d = x_b − x_a
//   spring           k = −(γ(|d|−L₀) + δ nᵀḋ) n on b;  ∇φ = ∇ψ = (−n, n);
//                    remainder −(f/|d|)(I − nnᵀ) and −δ n (Pḋ)ᵀ/|d|, P = I − nnᵀ
//   contacts         rows nᵀ, t1ᵀ, t2ᵀ on b minus a; biases by the rates of the frame
#pragma once
#include "delassus/collision/contact_geometry.hpp"
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

  int nq() const override { return 3 * num_bodies(); }
  int nv() const override { return 3 * num_bodies(); }
  std::string coordinate_name(int i) const override;
  std::string joint_name(int row) const override;
  std::string contact_name(ContactId id) const override;
  void retract(const VectorRef& q, const VectorRef& w, Vector& out) const override { out = q + w; }
  void difference(const VectorRef& q1, const VectorRef& q0, Vector& w) const override { w = q1 - q0; }
  void mass(double t, const VectorRef& q, BlockMatrix& M) const override;
  void forces(double t, const VectorRef& q, const VectorRef& v, Vector& k) const override;
  void force_jacobians(double t, const VectorRef& q, const VectorRef& v, ForceJacobians& out) const override;
  double potential_energy(double t, const VectorRef& q) const override;
  double nonconservative_power(double t, const VectorRef& q, const VectorRef& v) const override;
  void bilateral(double t, const VectorRef& q, BilateralRows& out) const override;
  void bilateral_bias(double t, const VectorRef& q, const VectorRef& v, Vector& bias) const override;
  void add_bilateral_stiffness(double t, const VectorRef& q, const VectorRef& lambda, double scale,
                               BlockMatrix& out) const override;
  void candidates(double t, const VectorRef& q, const VectorRef& v, double h,
                  std::vector<ContactId>& ids) const override;
  void gaps(std::span<const ContactId> ids, double t, const VectorRef& q, Vector& gaps) const override;
  void contact_rows(std::span<const ContactId> ids, double t, const VectorRef& q,
                    ContactRows& out) const override;
  void contact_bias(std::span<const ContactId> ids, double t, const VectorRef& q, const VectorRef& v,
                    Vector& bias) const override;
  void contact_frame(ContactId id, double t, const VectorRef& q, Vector3& point,
                     Matrix3& frame) const override;
  int num_bodies() const override { return static_cast<int>(model_.particles.size()); }
  std::string body_name(int i) const override { return model_.particles[i].name; }
  void body_motions(double t, const VectorRef& q, const VectorRef& v,
                    std::vector<BodyMotion>& out) const override;

 private:
  ContactGeometry geometry(ContactId id, const VectorRef& q, const VectorRef* v) const;
  bool is_plane(ContactId id) const { return id < model_.plane_contacts.size(); }
  const PairContact& pair(ContactId id) const {
    return model_.pair_contacts[id - model_.plane_contacts.size()];
  }

  Model model_;
  std::vector<Vector3> reference_normals_;  // of the pair contacts, from the initial positions
};

}  // namespace delassus
