// Heavy headers that nearly every source file needs; compiled once.
#pragma once
#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "delassus/linalg/eigen_instantiations.hpp"
