// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Nothing: the target of this file holds the precompiled headers of the tests.
