// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// A step as it is known before its contact problem is solved: the motion with what joints and contacts are expected to do, and
// what the problem is made of that corrects it. With ṽ, q̃ = q ⊞ w̃ of the prediction and H, G in the middle of the step
//
//   A (v⁺ − ṽ) = G λ + H r − ℘,   Gᵀ (v⁺ − ṽ) = 0,   contact law on  Hᵀ v⁺ + w + β                    (1)
//   q⁺ = q ⊞ (w̃ + h (v⁺ − ṽ)/2)                                                                      (2)
//
//   ℘ (nv) impulses of joints and contacts that are in ṽ, and that the problem finds anew [N·s]
//   β the change of Hᵀ v + w up to the end of the step by the motion of the rows themselves [m/s]
#pragma once
#include "delassus/system/system.hpp"

namespace delassus {

struct StepPrediction {
  Configuration middle;
  BilateralRows joints;   // in the middle
  FrictionRows friction;  // likewise
  ContactSet contacts;    // those that take part; each in the middle, or where it was found
  Vector turning;         // β, in the layout of the contacts
  // A = M − c_v k_v − c k_q, without gyroscopic terms: their change with v⁺ − ṽ, which is small where it lasts, may come a step late.
  BlockMatrix M;
  ForceJacobians jacobians;
  double c_v = 0, c_q = 0;
  Vector v, w;     // ṽ, w̃
  Vector impulse;  // ℘
};

}  // namespace delassus
