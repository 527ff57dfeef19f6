// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of Eigen that cost most to compile and that many sources use, compiled once (eigen_instantiations.cpp). Only the
// precompiled header includes this: a source that is compiled without it makes its own copies, which give the same bits.
// Without a guard: eigen_instantiations.cpp includes it once more, to define what is declared here.
#include <Eigen/Dense>
#include <Eigen/Sparse>

#ifndef DELASSUS_INSTANTIATE
#define DELASSUS_INSTANTIATE extern template
#endif

namespace Eigen {

DELASSUS_INSTANTIATE void PartialPivLU<MatrixXd>::compute();
DELASSUS_INSTANTIATE LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
DELASSUS_INSTANTIATE void ColPivHouseholderQR<MatrixXd>::computeInPlace();
DELASSUS_INSTANTIATE void CompleteOrthogonalDecomposition<MatrixXd>::computeInPlace();
DELASSUS_INSTANTIATE void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(const VectorXd&,
                                                                                 VectorXd&) const;
DELASSUS_INSTANTIATE SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
DELASSUS_INSTANTIATE SelfAdjointEigenSolver<Matrix3d>& SelfAdjointEigenSolver<Matrix3d>::compute(
    const EigenBase<Matrix3d>&, int);
DELASSUS_INSTANTIATE SelfAdjointEigenSolver<Matrix<double, 6, 6>>&
SelfAdjointEigenSolver<Matrix<double, 6, 6>>::compute(const EigenBase<Matrix<double, 6, 6>>&, int);
DELASSUS_INSTANTIATE void SparseLU<SparseMatrix<double>>::analyzePattern(const SparseMatrix<double>&);
DELASSUS_INSTANTIATE void SparseLU<SparseMatrix<double>>::factorize(const SparseMatrix<double>&);
DELASSUS_INSTANTIATE void SimplicialCholeskyBase<
    SimplicialLDLT<SparseMatrix<double>>>::analyzePattern_preordered(const SparseMatrix<double>&, bool);
DELASSUS_INSTANTIATE void SimplicialCholeskyBase<SimplicialLDLT<SparseMatrix<double>>>::ordering(
    const SparseMatrix<double>&, const SparseMatrix<double>*&, SparseMatrix<double>&);

namespace internal {

// Products of matrices, by the storage order of both (0: by columns, 1: by rows); of a matrix and a vector; solution of triangular
// systems from the left (1), by the shape of the triangle; products with triangles, of which Householder's reflections are made.
DELASSUS_INSTANTIATE struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, 0, 0, 1>, 4, 4,
                                        false, false>;
DELASSUS_INSTANTIATE struct general_matrix_matrix_product<Index, double, 0, false, double, 0, false, 0, 1>;
DELASSUS_INSTANTIATE struct general_matrix_matrix_product<Index, double, 0, false, double, 1, false, 0, 1>;
DELASSUS_INSTANTIATE struct general_matrix_matrix_product<Index, double, 1, false, double, 0, false, 0, 1>;
DELASSUS_INSTANTIATE struct general_matrix_matrix_product<Index, double, 1, false, double, 1, false, 0, 1>;
DELASSUS_INSTANTIATE struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, 0>, 0, false, double,
    const_blas_data_mapper<double, Index, 0>, false, 0>;
DELASSUS_INSTANTIATE struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, 0>, 0, false, double,
    const_blas_data_mapper<double, Index, 1>, false, 0>;
DELASSUS_INSTANTIATE struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, 1>, 1, false, double,
    const_blas_data_mapper<double, Index, 0>, false, 0>;
DELASSUS_INSTANTIATE struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, 1>, 1, false, double,
    const_blas_data_mapper<double, Index, 1>, false, 0>;
DELASSUS_INSTANTIATE struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, 1>, 1, false, double,
    const_blas_data_mapper<double, Index, 1>, false, 1>;
DELASSUS_INSTANTIATE struct triangular_solve_matrix<double, Index, 1, Lower, false, 0, 0, 1>;
DELASSUS_INSTANTIATE struct triangular_solve_matrix<double, Index, 1, UnitLower, false, 0, 0, 1>;
DELASSUS_INSTANTIATE struct triangular_solve_matrix<double, Index, 1, Upper, false, 0, 0, 1>;
DELASSUS_INSTANTIATE struct triangular_solve_matrix<double, Index, 1, Upper, false, 1, 0, 1>;
DELASSUS_INSTANTIATE struct triangular_solve_vector<double, double, Index, 1, Lower, false, 0>;
DELASSUS_INSTANTIATE struct triangular_solve_vector<double, double, Index, 1, UnitLower, false, 0>;
DELASSUS_INSTANTIATE struct triangular_solve_vector<double, double, Index, 1, Upper, false, 0>;
DELASSUS_INSTANTIATE struct triangular_solve_vector<double, double, Index, 1, Upper, false, 1>;
DELASSUS_INSTANTIATE struct product_triangular_matrix_matrix<double, Index, Lower, true, 0, false, 0, false,
                                                             0, 1, 0>;
DELASSUS_INSTANTIATE struct product_triangular_matrix_matrix<double, Index, Upper, true, 1, false, 0, false,
                                                             0, 1, 0>;
DELASSUS_INSTANTIATE struct product_triangular_matrix_matrix<double, Index, UnitLower, true, 0, false, 0,
                                                             false, 0, 1, 0>;
DELASSUS_INSTANTIATE struct product_triangular_matrix_matrix<double, Index, UnitUpper, true, 1, false, 0,
                                                             false, 0, 1, 0>;

}  // namespace internal
}  // namespace Eigen

#undef DELASSUS_INSTANTIATE
