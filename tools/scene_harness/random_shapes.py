# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""Random shapes of a given size, and the grounds that bodies fall on."""
import math

from . import geometry as g

# Share of each kind among the bodies, in percent.
SHAPE_SHARES = {"sphere": 13, "box": 17, "rounded_box": 8, "capsule": 11, "cylinder": 12, "cone": 9, "ellipsoid": 8, "hull": 8,
                "rounded_hull": 5, "compound": 7, "mesh": 2}
GROUND_SHARES = {"plane": 30, "tray": 25, "mesh": 25, "height_field": 20}


def pick(rng, shares):
    return rng.choices(list(shares), list(shares.values()))[0]


def short(x):
    """Six digits: enough for a random number, and readable in a file."""
    return float(f"{x:.6g}")


def log_uniform(rng, low, high):
    return short(math.exp(rng.uniform(math.log(low), math.log(high))))


def direction(rng):
    while True:
        d = [rng.gauss(0, 1) for _ in range(3)]
        if g.norm(d) > 0.1:
            return [short(x / g.norm(d)) for x in d]


def vector(rng, size):
    return [short(rng.uniform(-size, size)) for _ in range(3)]


def hull_points(rng, s):
    """Points near an ellipsoid, never in one plane."""
    axes = [s * rng.uniform(0.5, 1.2) for _ in range(3)]
    corners = [[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]]
    points = [[short(0.6 * a * c) for a, c in zip(axes, corner)] for corner in corners]
    return points + [[short(a * x) for a, x in zip(axes, direction(rng))] for _ in range(rng.randint(2, 8))]


def solid_mesh(rng, s):
    """A tetrahedron, an octahedron or a prism over an L."""
    kind = rng.randrange(3)
    if kind == 0:
        vertices = [[s, s, s], [-s, -s, s], [-s, s, -s], [s, -s, -s]]
        triangles = [[0, 1, 3], [0, 2, 1], [0, 3, 2], [1, 2, 3]]
    elif kind == 1:
        vertices = [[s, 0, 0], [-s, 0, 0], [0, s, 0], [0, -s, 0], [0, 0, s], [0, 0, -s]]
        triangles = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    else:
        outline = [[-s, -s], [s, -s], [s, -s / 4], [-s / 4, -s / 4], [-s / 4, s], [-s, s]]
        vertices = [[x, y, z] for z in (-s / 2, s / 2) for x, y in outline]
        top = [[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]]
        triangles = [[a + 6, b + 6, c + 6] for a, b, c in top] + [[c, b, a] for a, b, c in top]
        triangles += [t for i in range(6) for t in ([i, (i + 1) % 6, (i + 1) % 6 + 6], [i, (i + 1) % 6 + 6, i + 6])]
    return {"type": "mesh", "vertices": [[short(x) for x in v] for v in vertices], "triangles": triangles}


def compound(rng, s):
    """A dumbbell, a hammer or a corner of two boxes."""
    kind = rng.randrange(3)
    if kind == 0:
        r = short(0.4 * s)
        return [{"type": "sphere", "radius": r, "position": [0, 0, short(-0.6 * s)]},
                {"type": "cylinder", "radius": short(0.15 * s), "length": short(s)},
                {"type": "sphere", "radius": r, "position": [0, 0, short(0.6 * s)]}]
    if kind == 1:
        parts = [{"type": "capsule", "radius": short(0.15 * s), "length": short(1.2 * s)},
                 {"type": "box", "size": [short(0.9 * s), short(0.4 * s), short(0.4 * s)], "position": [0, 0, short(0.6 * s)]}]
        return [{"type": "compound", "rotation": vector(rng, 1), "shapes": parts}]
    a, b = short(0.4 * s), short(1.4 * s)
    return [{"type": "box", "size": [b, a, a]}, {"type": "box", "size": [a, b, a], "position": [short((b - a) / 2), short((b + a) / 2), 0]}]


def random_shapes(rng, kind, s):
    """Shapes of a body of half extent s."""
    around = lambda low, high: short(s * rng.uniform(low, high))
    if kind == "sphere":
        return [{"type": "sphere", "radius": short(s)}]
    if kind in ("box", "rounded_box"):
        box = {"type": "box", "size": [around(0.6, 2) for _ in range(3)]}
        if kind == "rounded_box":
            box["margin"] = short(min(box["size"]) * rng.uniform(0.02, 0.3))
        return [box]
    if kind in ("capsule", "cylinder", "cone"):
        return [{"type": kind, "radius": around(0.3, 0.9), "length": around(0.5, 1.6)}]
    if kind == "ellipsoid":
        return [{"type": "ellipsoid", "size": [around(0.7, 2) for _ in range(3)]}]
    if kind in ("hull", "rounded_hull"):
        hull = {"type": "hull", "points": hull_points(rng, s)}
        if kind == "rounded_hull":
            hull["margin"] = short(g.width(hull) * rng.uniform(0.02, 0.1))
        return [hull]
    return compound(rng, s) if kind == "compound" else [solid_mesh(rng, 0.7 * s)]


def grid_heights(rng, n, height):
    """Slope, waves and bumps."""
    slope, waves = [rng.uniform(-0.15, 0.15) for _ in range(2)], rng.uniform(0, 1)
    return [[short(height * (slope[0] * i + slope[1] * j + waves * math.sin(0.9 * i) * math.cos(0.7 * j) + rng.uniform(-0.3, 0.3)))
             for i in range(n)] for j in range(n)]


def make_ground(rng, kind, half):
    """A fixed body under a square of the given half width, and its largest height."""
    if kind == "plane":
        return [{"type": "plane"}], 0.0
    if kind == "tray":
        wall, high = short(0.1 * half), short(1.2 * half)
        outer = short(2 * (half + wall))
        shapes = [{"type": "box", "size": [outer, wall, outer], "position": [0, -wall / 2, 0]}]
        for sign in (1, -1):
            shapes.append({"type": "box", "size": [wall, high, outer], "position": [sign * (half + wall / 2), high / 2, 0]})
            shapes.append({"type": "box", "size": [2 * half, high, wall], "position": [0, high / 2, sign * (half + wall / 2)]})
        return shapes, 0.0
    n = rng.randint(5, 9)
    heights = grid_heights(rng, n, 0.12 * half)
    spacing = short(2.4 * half / (n - 1))
    top = max(max(row) for row in heights)
    if kind == "height_field":
        return [{"type": "height_field", "spacing": [spacing, spacing], "heights": heights}], top
    vertices = [[short((i - (n - 1) / 2) * spacing), heights[j][i], short(((n - 1) / 2 - j) * spacing)] for j in range(n) for i in range(n)]
    triangles = []
    for j in range(n - 1):
        for i in range(n - 1):
            a, b, c, d = j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i
            triangles += [[a, b, c], [a, c, d]] if rng.random() < 0.5 else [[a, b, d], [b, c, d]]
    return [{"type": "mesh", "vertices": vertices, "triangles": triangles}], top
