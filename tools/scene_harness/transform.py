# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""The same scene in other units and in a mirror.

Rescaled. Lengths times 2^a, masses times 2^b, times times 2^c: every product of an equation of motion is multiplied by a power of two, which
is exact in binary numbers (overflow and subnormal numbers are far), and so is every sum whose terms have one unit. Square roots (of masses, in
factorisations) are exact for even exponents. Whatever has a unit is scaled along: gravity by 2^(a−2c), the step by 2^c, stiffnesses, dampings,
laws of motors, and the setting with a unit that has a default other than 0, stepper.epsilon_a [m].
- Masses and times: the same bits. Nothing in the program has a mass or time of its own.
- Lengths: the same motion, with a tolerance. Its round-off of gaps is relative to 1 m + the largest coordinate, and the largest of all
  velocities, by which rest is judged, is one of m/s and rad/s: both change with the unit of length.

Mirrored. x → −x: points and velocities are polar (x changes its sign), rotation vectors, angular velocities and axes of hinges axial (y and z
change theirs). Axes along which something slides are polar; where a joint slides and turns, its axis is polar and its angle, so its screw,
changes its sign. Nothing in mechanics tells the two apart; tangents and orders of contacts may differ, so the comparison has a tolerance."""
import copy
import math
import re

ZERO = (0, 0, 0)
LENGTH, MASS, TIME = (1, 0, 0), (0, 1, 0), (0, 0, 1)
SPEED, RATE, FORCE, STIFFNESS, DAMPING = (1, 0, -1), (0, 0, -1), (1, 1, -2), (0, 1, -2), (0, 1, -1)
TORQUE, TORSION, TORSION_DAMPING = (2, 1, -2), (2, 1, -2), (2, 1, -1)


class Units:
    def __init__(self, length, mass, time):
        self.exponents = (length, mass, time)

    def factor(self, dimension):
        return 2.0 ** sum(a * b for a, b in zip(self.exponents, dimension))

    def scaled(self, value, dimension):
        if isinstance(value, list):
            return [self.scaled(v, dimension) for v in value]
        return value * self.factor(dimension)

    def apply(self, element, **dimensions):
        for key, dimension in dimensions.items():
            if key in element:
                element[key] = self.scaled(element[key], dimension)

    def law(self, law, value, x=ZERO):
        """A formula of t, and of x and v of a coordinate, whose value has another factor."""
        if not isinstance(law, str):
            return law * self.factor(value)
        names = {"t": self.factor(TIME), "x": self.factor(x), "v": self.factor(tuple(a - b for a, b in zip(x, TIME)))}
        inner = re.sub(r"\b[txv]\b", lambda m: f"({m.group()}*{1 / names[m.group()]!r})", law)
        return f"{self.factor(value)!r}*({inner})"


def scale_shape(units, shape):
    units.apply(shape, position=LENGTH, radius=LENGTH, length=LENGTH, size=LENGTH, margin=LENGTH, points=LENGTH, vertices=LENGTH,
                heights=LENGTH, spacing=LENGTH)
    for child in shape.get("shapes", []):
        scale_shape(units, child)


def coordinate_dimension(element):
    return ZERO if element["coordinate"].startswith("angle") else LENGTH


def rescale(scene, length, mass, time):
    """The scene in units that are 2^length m, 2^mass kg, 2^time s times smaller."""
    units, scene = Units(length, mass, time), copy.deepcopy(scene)
    units.apply(scene, gravity=(1, 0, -2), duration=TIME)
    for body in scene["bodies"]:
        units.apply(body, position=LENGTH, velocity=SPEED, angular_velocity=RATE, mass=MASS, rolling_friction=LENGTH, spinning_friction=LENGTH)
        for shape in body.get("shapes", []):
            scale_shape(units, shape)
    for joint in scene.get("joints", []):
        units.apply(joint, point=LENGTH, anchor=LENGTH, pitch=LENGTH, radius=LENGTH)
    for element in scene.get("limits", []):
        units.apply(element, lower=coordinate_dimension(element), upper=coordinate_dimension(element))
    for element in scene.get("frictions", []):
        units.apply(element, constant=TORQUE if coordinate_dimension(element) == ZERO else FORCE, radius=LENGTH)
    for motor in scene.get("motors", []):
        x = coordinate_dimension(motor)
        values = {"position": x, "servo": x, "velocity": tuple(a - b for a, b in zip(x, TIME)), "force": TORQUE if x == ZERO else FORCE}
        motor["law"] = units.law(motor["law"], values[motor["type"]], x)
        units.apply(motor, stiffness=TORSION if x == ZERO else STIFFNESS, damping=TORSION_DAMPING if x == ZERO else DAMPING)
    for force in scene.get("forces", []):
        if force["type"] == "bushing":
            for key, linear, angular in (("stiffness", STIFFNESS, TORSION), ("damping", DAMPING, TORSION_DAMPING)):
                force[key] = units.scaled(force[key][:3], linear) + units.scaled(force[key][3:], angular)
            units.apply(force, point=LENGTH)
            continue
        turns = force["type"] == "torsional" or force["type"] == "joint_spring" and coordinate_dimension(force) == ZERO
        units.apply(force, point=LENGTH, stiffness=TORSION if turns else STIFFNESS, damping=TORSION_DAMPING if turns else DAMPING)
        if force["type"] == "joint_spring":
            units.apply(force, rest=coordinate_dimension(force))
    settings = scene.setdefault("stepper", {})
    settings["step"] = settings.get("step", 1e-3) * units.factor(TIME)
    settings["epsilon_a"] = settings.get("epsilon_a", 1e-12) * units.factor(LENGTH)
    return scene


def polar(a):
    return [-a[0], a[1], a[2]]


def axial(a):
    return [a[0], -a[1], -a[2]]


def mirror_shape(shape):
    for key, image in (("position", polar), ("rotation", axial), ("normal", polar)):
        if key in shape:
            shape[key] = image(shape[key])
    if shape["type"] == "hull":
        shape["points"] = [polar(p) for p in shape["points"]]
    elif shape["type"] == "mesh":
        shape["vertices"] = [polar(p) for p in shape["vertices"]]
        shape["triangles"] = [t[::-1] for t in shape["triangles"]]
    for child in shape.get("shapes", []):
        mirror_shape(child)


SLIDES_AND_TURNS = ("cylindrical", "screw")
SLIDES = SLIDES_AND_TURNS + ("prismatic", "point_on_line")


def mirror_field(body):
    """A height field of a square grid splits its cells along one diagonal, which a mirror would turn to the other: the transposed field
    keeps it, and is the image once it is turned by 90°: H(−x, z) = Hᵀ(−z, x), since Hᵀ(x, z) = H(−z, −x)."""
    field = body["shapes"][0]
    field["heights"] = [list(row) for row in zip(*field["heights"])]
    body["rotation"] = [0.0, math.pi / 2, 0.0]


def mirror(scene):
    """The scene seen in the plane x = 0."""
    scene = copy.deepcopy(scene)
    for body in scene["bodies"]:
        if any(shape["type"] == "height_field" for shape in body.get("shapes", [])):
            mirror_field(body)
            continue
        for key, image in (("position", polar), ("rotation", axial), ("velocity", polar), ("angular_velocity", axial)):
            if key in body:
                body[key] = image(body[key])
        for shape in body.get("shapes", []):
            mirror_shape(shape)
    turned = set()    # joints whose angle changes its sign
    for joint in scene.get("joints", []):
        for key in ("point", "anchor", "across"):
            if key in joint:
                joint[key] = polar(joint[key])
        for key in ("axis", "axis_2"):
            if key in joint:
                joint[key] = polar(joint[key]) if joint["type"] in SLIDES else axial(joint[key])
        if "pitch" in joint:
            joint["pitch"] = -joint["pitch"]
        if joint["type"] in SLIDES_AND_TURNS:
            turned.add(joint["name"])
    for key in ("limits", "frictions", "motors", "forces"):
        for element in scene.get(key, []):
            for name, image in (("point", polar), ("axis", axial)):
                if name in element:
                    element[name] = image(element[name])
            if element.get("joint") in turned and element["coordinate"] == "angle":
                reverse(element)
    return scene


def reverse(element):
    """An element on a coordinate that has changed its sign."""
    if "lower" in element:
        element["lower"], element["upper"] = -element["upper"], -element["lower"]
    if "rest" in element:
        element["rest"] = -element["rest"]
    if "law" in element:
        law = element["law"]
        element["law"] = -law if not isinstance(law, str) else "-(" + re.sub(r"\b[xv]\b", lambda m: f"(-{m.group()})", law) + ")"
