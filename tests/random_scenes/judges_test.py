#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""The judges of tools/random_scenes, judged: judges_test.py PROGRAM. A good run passes, and every doctored one turns red."""
import copy
import math
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from scene_harness import compare, generate, geometry as g, pairs, transform  # noqa: E402
from scene_harness.judge import judge, smallest_body  # noqa: E402
from scene_harness.minimise import minimise  # noqa: E402
from scene_harness.run import run_scene  # noqa: E402
from scene_harness.scene_file import read_scene, text_of  # noqa: E402

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 else ""

# A ball falls beside a box that slides to rest, and a hinge with a stop swings: 0.1 s, one impact.
SCENE = {
    "delassus": 1, "name": "good", "gravity": [0, -9.81, 0], "duration": 0.1,
    "bodies": [
        {"name": "ground", "type": "fixed", "shapes": [{"type": "plane"}]},
        {"name": "ball", "type": "rigid", "mass": 2.0, "position": [0.5, 0.12, 0.0], "velocity": [0.3, 0.0, 0.1], "restitution": 0.5,
         "shapes": [{"type": "sphere", "radius": 0.1}]},
        {"name": "box", "type": "rigid", "mass": 1.0, "position": [0.0, 0.05, 0.0], "velocity": [0.2, 0.0, 0.0], "friction": 0.5,
         "shapes": [{"type": "box", "size": [0.2, 0.1, 0.2]}]},
        {"name": "arm", "type": "rigid", "mass": 1.0, "position": [-0.8, 0.6, 0.0], "shapes": [{"type": "capsule", "radius": 0.03, "length": 0.2}]}],
    "joints": [{"name": "hinge", "type": "revolute", "between": ["world", "arm"], "point": [-1.0, 0.6, 0.0], "axis": [0, 0.6, 0.8]}],
    "limits": [{"name": "stop", "joint": "hinge", "coordinate": "angle", "lower": -2.0, "upper": 0.5, "restitution": 0.5}],
    "motors": [{"name": "motor", "type": "velocity", "joint": "hinge", "coordinate": "angle", "law": "1.5*sin(4*t)"}],
    "stepper": {"step": 1e-3}, "output": {"every": 1}}


class Judges(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.result = cls.run_of(SCENE, "good")
        for name in ("energy", "certificate", "bodies", "events", "joints", "reactions"):
            cls.result.table(name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_of(cls, scene, place):
        return run_scene(PROGRAM, text_of(scene), pathlib.Path(cls.folder.name, place))

    def names(self, doctor=None, scene=SCENE):
        result = copy.deepcopy(self.result)
        if doctor:
            doctor(result)
        return [finding.name for finding in judge(scene, result)]

    def test_a_good_run_passes(self):
        self.assertEqual(self.names(), [])
        self.assertEqual(len(compare.impact_times(self.result)), 1)

    def test_a_run_that_ends_badly(self):
        def ends(status, message=""):
            def doctor(result):
                result.status, result.message, result.timed_out = status, message, status is None
            return doctor
        self.assertEqual(self.names(ends(None)), ["time"])
        self.assertEqual(self.names(ends(-11)), ["crash"])
        self.assertEqual(self.names(ends(3, "t = 1 s: the step makes no progress")), ["stop, no progress"])
        self.assertEqual(self.names(ends(3, "the contacts 'a' jam by friction: ")), ["stop, jam by friction"])
        self.assertEqual(self.names(ends(3, "the problem has no solution (iteration limit)")), ["stop, no solution"])
        self.assertEqual(self.names(ends(2, "refused")), ["status 2"])

    def test_a_success_without_results(self):
        def doctor(result):
            result.tables["energy"] = []
        self.assertEqual(self.names(doctor), ["no tables"])

    def test_residual(self):
        def doctor(result):
            result.table("certificate")[50]["contact_residual"] = "2e-6"
        self.assertEqual(self.names(doctor), ["residual"])

        def not_a_number(result):
            result.table("certificate")[50]["momentum_residual"] = "nan"
        self.assertEqual(self.names(not_a_number), ["residual"])

    def test_energy(self):
        rows = self.result.table("energy")
        play = max(float(r["kinetic"]) + float(r["potential"]) for r in rows) - min(float(r["potential"]) for r in rows)

        def gains(share):
            def doctor(result):
                for row in result.table("energy")[60:]:
                    row["kinetic"] = repr(float(row["kinetic"]) + share * play)
                    row["constraint"] = repr(float(row["constraint"]) + share * play)    # booked: the ledger of the program is balanced
            return doctor
        self.assertEqual(self.names(gains(2e-3)), ["gain"])
        self.assertEqual(self.names(gains(-2e-3)), [])

        def impact(result):
            next(row for row in result.table("events") if row["kind"] == "impact")["energy_change"] = repr(1e-8 * play)
        free = {k: v for k, v in SCENE.items() if k != "motors"}
        self.assertIn("impact gain", self.names(impact, free))

    def test_work_of_a_motor_counts(self):
        """Without the work of the motor the arm, which is lifted, has gained energy."""
        free = {k: v for k, v in SCENE.items() if k != "motors"}
        self.assertIn("gain", self.names(None, free))

    def test_penetration(self):
        size = smallest_body(SCENE)
        self.assertAlmostEqual(size, 0.06)

        def reported(result):
            result.table("certificate")[30]["penetration"] = repr(2e-3 * size)
        self.assertEqual(self.names(reported), ["penetration"])

        def sunk(result):
            for row in result.table("bodies"):
                if row["name"] == "box":
                    row["y"] = repr(float(row["y"]) - 2e-3 * size)
        self.assertEqual(self.names(sunk), ["penetration seen"])

        def into_each_other(result):
            for row in result.table("bodies"):
                if row["name"] == "ball":
                    row["x"] = repr(float(row["x"]) - 0.35)
        self.assertEqual(self.names(into_each_other), ["penetration seen"])

        def beyond_the_stop(result):
            result.table("certificate")[30].update(penetration="2e-3", deepest_contact="stop.upper")
        self.assertEqual(self.names(beyond_the_stop), ["stop passed"])

    def test_repeats(self):
        exponents = (0, 4, -2)
        image = self.run_of(transform.rescale(SCENE, *exponents), "rescaled")
        self.assertEqual(compare.compare_rescaled(self.result, image, exponents), [])
        row = image.table("bodies")[-1]
        row["vy"] = repr(math.nextafter(float(row["vy"]), math.inf))
        self.assertEqual(len(compare.compare_rescaled(self.result, image, exponents)), 1)

        image = self.run_of(transform.mirror(SCENE), "mirrored")
        self.assertEqual(compare.compare_mirrored(SCENE, self.result, image), [])
        for row in image.table("bodies")[50:]:
            row["z"] = repr(float(row["z"]) + 2e-5 * smallest_body(SCENE))
        self.assertEqual(len(compare.compare_mirrored(SCENE, self.result, image)), 1)

        image = self.run_of(transform.rescale(SCENE, 6, 0, 0), "enlarged")
        self.assertEqual(compare.compare_enlarged(SCENE, self.result, image, 6), [])
        self.assertEqual(len(compare.compare_enlarged(SCENE, self.result, image, 5)), 1)

    def test_fell_through(self):
        scene = copy.deepcopy(SCENE)
        scene["bodies"][0]["shapes"] = [{"type": "height_field", "spacing": [2.0, 2.0], "heights": [[0.0] * 3] * 3}]

        def doctor(result):
            for row in result.table("bodies")[-4:]:
                if row["name"] == "box":
                    row["y"] = "-0.3"
        self.assertEqual(self.names(doctor, scene), ["fell through"])


class Scenes(unittest.TestCase):
    def test_a_seed_gives_one_scene(self):
        for seed in range(20):
            scene = generate.make_scene(seed)
            self.assertEqual(text_of(scene), text_of(generate.make_scene(seed)))
            self.assertEqual(read_scene(text_of(scene)), scene)
            self.assertGreaterEqual(len(scene["bodies"]), 6)

    def test_transformations_have_inverses(self):
        for seed in range(20):
            scene = generate.make_scene(seed)
            back = transform.rescale(transform.rescale(scene, 4, -2, 6), -4, 2, -6)
            back["motors"] = scene.get("motors", [])    # formulas keep their factors
            back["stepper"] = scene["stepper"]
            self.assertEqual(back, {**scene, "motors": scene.get("motors", [])})
            if scene["bodies"][0]["shapes"][0]["type"] != "height_field":
                back = transform.mirror(transform.mirror(scene))
                self.assertEqual({**back, "motors": []}, {**scene, "motors": []})

    def test_supports_of_rounded_hulls(self):
        """The core of a cube with margin is the smaller cube."""
        cube = {"type": "hull", "points": [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], "margin": 0.25}
        self.assertAlmostEqual(g.local_support(cube, [1, 0, 0]), 1)
        self.assertAlmostEqual(g.local_support(cube, [1, 1, 0]), 1.5 + 0.25 * math.sqrt(2))
        box = {"type": "box", "size": [2, 2, 2], "margin": 0.25}
        self.assertAlmostEqual(g.local_support(cube, [0.3, -0.5, 0.7]), g.local_support(box, [0.3, -0.5, 0.7]))

    def test_minimise(self):
        scene = generate.make_scene(4)
        name = scene["joints"][0]["name"]
        small = minimise(scene, lambda s: any(j["name"] == name for j in s.get("joints", [])))
        self.assertEqual([j["name"] for j in small["joints"]], [name])
        self.assertEqual({b["name"] for b in small["bodies"]} | {"world"}, set(scene["joints"][0]["between"]) | {"world"})
        self.assertLess(small["duration"], 0.2 * scene["duration"])

    def test_all_ordered_pairs(self):
        names = {(a, b) for a, b in pairs.kinds()}
        self.assertIn(("cone", "mesh"), names)
        self.assertIn(("mesh", "cone"), names)
        self.assertIn(("mesh", "mesh"), names)
        for a, b in names:
            for motion in pairs.MOTIONS:
                self.assertEqual(len(pairs.make_pair(a, b, motion, 1)["bodies"]), 2)


if __name__ == "__main__":
    unittest.main()
