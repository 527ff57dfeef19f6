# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors, rotations, and what is known of shapes without the program: supports, widths, depth of a point below a surface."""
import itertools
import math


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def scale(a, s):
    return [x * s for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def norm(a):
    return math.sqrt(dot(a, a))


def matrix_of_quaternion(q):
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def matrix_of_rotation(r):
    """Of a rotation vector: axis times angle."""
    angle = norm(r)
    if angle == 0:
        return matrix_of_quaternion([1, 0, 0, 0])
    s = math.sin(angle / 2) / angle
    return matrix_of_quaternion([math.cos(angle / 2), s * r[0], s * r[1], s * r[2]])


def turn(R, a):
    return [dot(row, a) for row in R]


def turn_back(R, a):
    return [sum(R[i][j] * a[i] for i in range(3)) for j in range(3)]


def parts(shape, origin=(0, 0, 0), R=None):
    """The simple shapes of a shape as (shape, position, matrix) in the frame of the body: compounds are opened."""
    R = R or matrix_of_quaternion([1, 0, 0, 0])
    position = add(origin, turn(R, shape.get("position", [0, 0, 0])))
    inner = matrix_of_rotation(shape.get("rotation", [0, 0, 0]))
    own = [[sum(R[i][k] * inner[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    if shape["type"] != "compound":
        return [(shape, position, own)]
    return [part for child in shape["shapes"] for part in parts(child, position, own)]


def points_of(shape):
    return shape["points"] if shape["type"] == "hull" else shape["vertices"]


def local_support(shape, d):
    """max over the shape of d·x, in its own frame. A margin m rounds: the shape is its core, all faces m further in, and a ball of m."""
    kind, margin = shape["type"], shape.get("margin", 0)
    if margin:
        if kind == "box":
            return local_support({"type": "box", "size": [s - 2 * margin for s in shape["size"]]}, d) + margin * norm(d)
        return max(dot(d, p) for p in hull_core(shape)) + margin * norm(d)
    across = math.hypot(d[0], d[1])
    if kind == "sphere":
        return shape["radius"] * norm(d)
    if kind == "box":
        return sum(abs(x) * s / 2 for x, s in zip(d, shape["size"]))
    if kind == "ellipsoid":
        return norm([x * s / 2 for x, s in zip(d, shape["size"])])
    if kind == "cylinder":
        return shape["radius"] * across + shape["length"] / 2 * abs(d[2])
    if kind == "capsule":
        return shape["radius"] * norm(d) + shape["length"] / 2 * abs(d[2])
    if kind == "cone":
        return max(shape["length"] / 2 * d[2], shape["radius"] * across - shape["length"] / 2 * d[2])
    return max(dot(d, p) for p in points_of(shape))


def all_parts(shapes):
    return [part for shape in shapes for part in parts(shape)]


def support(simple, d):
    """max of d·x over the simple shapes of a body, as all_parts gives them, in its frame."""
    return max(dot(d, p) + local_support(s, turn_back(R, d)) for s, p, R in simple)


def bounding_radius(shapes):
    """Of a ball about the origin of the body."""
    def reach(s):
        kind = s["type"]
        if kind == "sphere":
            return s["radius"]
        if kind in ("box", "ellipsoid"):
            return norm(s["size"]) / 2 if kind == "box" else max(s["size"]) / 2
        if kind in ("cylinder", "cone"):
            return math.hypot(s["radius"], s["length"] / 2)
        if kind == "capsule":
            return s["radius"] + s["length"] / 2
        return max(norm(p) for p in points_of(s))
    return max(norm(p) + reach(s) for s, p, _ in all_parts(shapes))


# Directions in which widths are measured: of the icosahedron's symmetries, finely enough for a size.
DIRECTIONS = [scale(d, 1 / norm(d)) for d in itertools.product((-2, -1, 0, 1, 2), repeat=3) if any(d)]


def width(shape):
    """Smallest width of a simple shape [m]."""
    kind = shape["type"]
    if kind == "sphere" or kind == "capsule":
        return 2 * shape["radius"]
    if kind in ("box", "ellipsoid"):
        return min(shape["size"])
    if kind in ("cylinder", "cone"):
        return min(2 * shape["radius"], shape["length"])
    return min(local_support(shape, d) + local_support(shape, scale(d, -1)) for d in DIRECTIONS)


def hull_planes(points):
    """Faces of a convex hull as (unit normal, offset), by trial: hulls of scenes have few points."""
    size = max(norm(p) for p in points)
    planes = []
    for a, b, c in itertools.combinations(points, 3):
        n = cross(sub(b, a), sub(c, a))
        length = norm(n)
        if length <= 1e-12 * size * size:
            continue
        n = scale(n, 1 / length)
        heights = [dot(n, sub(p, a)) for p in points]
        for sign in (1, -1):
            if max(sign * h for h in heights) <= 1e-9 * size:
                planes.append((scale(n, sign), sign * dot(n, a)))
    return planes


CORES = {}    # of rounded hulls: (shape, corners) by the identity of the shape


def hull_core(shape):
    """Corners of a rounded hull without its rounding: where three of its shifted faces meet inside of all others."""
    if id(shape) not in CORES or CORES[id(shape)][0] is not shape:
        planes = [(n, offset - shape["margin"]) for n, offset in hull_planes(shape["points"])]
        size = max(norm(p) for p in shape["points"])
        corners = []
        for (a, p), (b, q), (c, r) in itertools.combinations(planes, 3):
            volume = dot(a, cross(b, c))
            if abs(volume) > 1e-9:
                x = scale(add(add(scale(cross(b, c), p), scale(cross(c, a), q)), scale(cross(a, b), r)), 1 / volume)
                if all(dot(n, x) <= offset + 1e-9 * size for n, offset in planes):
                    corners.append(x)
        CORES[id(shape)] = (shape, corners)
    return CORES[id(shape)][1]


def depth_inside(shape, p, planes=None):
    """How deep a point of the shape's frame lies below its surface; a lower bound, negative outside [m]."""
    kind = shape["type"]
    if kind == "sphere":
        return shape["radius"] - norm(p)
    if kind == "box":
        depth = min(s / 2 - abs(x) for x, s in zip(p, shape["size"]))
        return depth - shape.get("margin", 0)  # what the rounding cuts off corners is less than that
    if kind == "ellipsoid":
        return (1 - norm([2 * x / s for x, s in zip(p, shape["size"])])) * min(shape["size"]) / 2
    across = math.hypot(p[0], p[1])
    if kind == "cylinder":
        return min(shape["radius"] - across, shape["length"] / 2 - abs(p[2]))
    if kind == "capsule":
        return shape["radius"] - math.hypot(across, max(0, abs(p[2]) - shape["length"] / 2))
    if kind == "cone":
        side = ((shape["length"] / 2 - p[2]) * shape["radius"] - across * shape["length"]) / math.hypot(shape["radius"], shape["length"])
        return min(side, p[2] + shape["length"] / 2)
    if kind == "hull":
        return min(offset - dot(n, p) for n, offset in planes) - shape.get("margin", 0)
    return -math.inf  # meshes are not judged from inside


def sample_points(shape):
    """Points on (or, with a margin, inside) the surface of a simple shape, in its frame."""
    kind = shape["type"]
    if kind == "hull":
        return hull_core(shape) if shape.get("margin") else shape["points"]
    if kind == "mesh":
        return shape["vertices"]
    if kind == "box":
        half = [s / 2 - shape.get("margin", 0) for s in shape["size"]]
        return [[x * h for x, h in zip(d, half)] for d in itertools.product((-1, 0, 1), repeat=3) if any(d)]
    if kind == "sphere":
        return [scale(d, shape["radius"]) for d in DIRECTIONS[::4]]
    if kind == "ellipsoid":
        return [[x * s / 2 for x, s in zip(d, shape["size"])] for d in DIRECTIONS[::4]]
    circle = [(math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)) for k in range(8)]
    r, z = shape["radius"], shape["length"] / 2
    if kind == "cone":
        return [[0, 0, z]] + [[r * c, r * s, -z] for c, s in circle] + [[r * c / 2, r * s / 2, 0] for c, s in circle]
    rims = [[r * c, r * s, e * z] for e in (-1, 0, 1) for c, s in circle]
    return rims + ([[0, 0, e * (z + r)] for e in (-1, 1)] if kind == "capsule" else [])
