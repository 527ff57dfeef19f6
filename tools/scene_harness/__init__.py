# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of tools/random_scenes: random scenes, their transformations, runs, judges and the search for a small example."""
