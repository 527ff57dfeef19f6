"use strict";
// Solids on a 2D canvas: vectors, meshes of shapes, the order in which their faces are painted, and a camera to look at them.
// Knows nothing of the page or of the recording. Camera axes are right, up, towards the viewer; the view is orthographic.
const scene3d = (() => {

// ---------------------------------------------------------------- vectors
const clamp = (x, lo, hi) => Math.min(hi, Math.max(lo, x));
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const axpy = (s, a, b) => [b[0] + s * a[0], b[1] + s * a[1], b[2] + s * a[2]];
const minusVector = (a, b) => axpy(-1, b, a);
const norm = a => Math.hypot(a[0], a[1], a[2]);
const unit = a => (norm(a) > 0 ? a.map(x => x / norm(a)) : [0, 0, 1]);
const finite = p => Number.isFinite(p[0] + p[1] + p[2]);

// A rotation is the list of its rows.
const IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const rotationFrom = (w, x, y, z) => [
  [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
  [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
  [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]];
const rotate = (R, v) => [dot(R[0], v), dot(R[1], v), dot(R[2], v)];
const place = (R, p, v) => [dot(R[0], v) + p[0], dot(R[1], v) + p[1], dot(R[2], v) + p[2]];
const product = (A, B) => A.map(row => [0, 1, 2].map(j => row[0] * B[0][j] + row[1] * B[1][j] + row[2] * B[2][j]));
const across = a => { // a unit vector at right angles to a, from the coordinate axis that a leans to least
  const sizes = a.map(Math.abs), e = IDENTITY[sizes.indexOf(Math.min(...sizes))];
  return unit(axpy(-dot(e, a) / dot(a, a), a, e));
};
// Columns: two directions at right angles to the axis, then the axis.
const frameAlong = axis => { const a = unit(axis), u = across(a), v = cross(a, u); return [0, 1, 2].map(i => [u[i], v[i], a[i]]); };

// ---------------------------------------------------------------- meshes
// Of a convex solid the faces that look at the viewer never hide each other. Other meshes (convex = false) may be open, too: then they
// are seen from both sides (closed = false).
// A face: corners (counter-clockwise from outside), edges[i] (is the edge after corner i an edge of the solid, or only a seam between
// two pieces of it), side (pieces of one plane share it), accent (painted lighter), decal (a mark that lies on its side).
const SIDES = 20, FEW_SIDES = 12; // of a circle; few where there are many solids

// Twice the area along the normal, of a polygon's corners in order (Newell).
const normalOf = p => p.reduce((sum, x, i) => axpy(1, cross(minusVector(x, p[0]), minusVector(p[(i + 1) % p.length], p[0])), sum), [0, 0, 0]);
function boxAround(points) {
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
  for (const p of points) for (let i = 0; i < 3; i++) { if (p[i] < lo[i]) lo[i] = p[i]; if (p[i] > hi[i]) hi[i] = p[i]; }
  return [lo, hi];
}

class Mesh {
  constructor() { Object.assign(this, { points: [], faces: [], seen: new Map(), convex: true, closed: true }); }
  // Corners are shared, so that each is moved and projected once.
  corner(p) {
    const key = p.map(x => x.toPrecision(9)).join();
    if (!this.seen.has(key)) this.seen.set(key, this.points.push(p) - 1);
    return this.seen.get(key);
  }
  face(points, more = {}) {
    const p = points;
    this.faces.push({ corners: Int32Array.from(p, x => this.corner(x)), normal: unit(normalOf(p)), edges: p.map(() => true), side: -1, accent: false, decal: false, ...more });
  }
  // Where the shape sits in its body.
  moved(R, p) {
    this.points = this.points.map(x => place(R, p, x));
    for (const f of this.faces) f.normal = rotate(R, f.normal);
    const [lo, hi] = this.box = boxAround(this.points);
    this.center = lo.map((x, i) => (x + hi[i]) / 2);
    this.radius = this.points.reduce((r, x) => Math.max(r, norm(minusVector(x, this.center))), 0);
    if (!this.convex) { // planes that have all of it inside: the best there are
      this.planes = IDENTITY.flatMap((e, i) => [{ normal: e, offset: hi[i] }, { normal: e.map(x => -x), offset: -lo[i] }]);
      return this;
    }
    // Each plane once, however many faces lie in it: { normal, offset }.
    const planes = new Map();
    for (const f of this.faces) {
      const offset = dot(f.normal, this.points[f.corners[0]]);
      planes.set([...f.normal, offset / this.radius].map(x => Math.round(x * 1e6)).join(), { normal: f.normal, offset });
    }
    this.planes = [...planes.values()];
    return this;
  }
}

const pieces = (length, tile) => clamp(Math.ceil(length / tile - 1e-9), 1, 12);

function boxMesh(size, tile) {
  const mesh = new Mesh(), h = size.map(x => x / 2);
  for (let i = 0; i < 3; i++) for (const sign of [1, -1]) {
    const u = (i + 1) % 3, v = (i + 2) % 3, nu = pieces(size[u], tile), nv = pieces(size[v], tile), side = 2 * i + (sign > 0 ? 0 : 1);
    const point = (a, b) => { const x = [0, 0, 0]; x[i] = sign * h[i]; x[u] = a * h[u]; x[v] = b * h[v]; return x; };
    for (let a = 0; a < nu; a++) for (let b = 0; b < nv; b++) {
      const [a0, a1, b0, b1] = [2 * a / nu - 1, 2 * (a + 1) / nu - 1, 2 * b / nv - 1, 2 * (b + 1) / nv - 1];
      const corners = [point(a0, b0), point(a1, b0), point(a1, b1), point(a0, b1)], edges = [b === 0, a === nu - 1, b === nv - 1, a === 0];
      if (sign < 0) { corners.reverse(); edges.unshift(edges.pop()); edges.reverse(); }
      mesh.face(corners, { side, edges });
    }
    // The corner +x +y +z carries a dot on each of its three faces: any turn of the box can be seen.
    if (sign > 0) {
      const r = Math.min(0.22 * Math.min(h[u], h[v]), 0.05 * tile), corners = 12, mark = [];
      for (let n = 0; n < corners; n++) {
        const t = 2 * Math.PI * n / corners, x = point(0.6, 0.6);
        x[u] += r * Math.cos(t);
        x[v] += r * Math.sin(t);
        mark.push(x);
      }
      mesh.face(mark, { side, decal: true, edges: mark.map(() => false) });
    }
  }
  return mesh;
}

// A body of revolution about z from its profile [radius, z], bottom to top; sharp[i]: the circle at profile point i is an edge. Perhaps
// stretched along x, y, z.
function lathe(profile, sharp, sides, stretch = [1, 1, 1]) {
  const mesh = new Mesh(), quarter = sides / 4;
  const point = (i, n) => { const t = 2 * Math.PI * (n % sides) / sides, [r, z] = profile[i]; return [stretch[0] * r * Math.cos(t), stretch[1] * r * Math.sin(t), stretch[2] * z]; };
  for (let i = 0; i + 1 < profile.length; i++) {
    const [[r0], [r1]] = [profile[i], profile[i + 1]];
    // A quarter is painted lighter, so that a spin can be seen; flat ends are cut into quarters for that.
    if (r0 === 0 || r1 === 0) {
      const flat = profile[i][1] === profile[i + 1][1], step = flat ? quarter : 1;
      for (let n = 0; n < sides; n += step) {
        const rim = [];
        for (let m = 0; m <= step; m++) rim.push(point(r0 === 0 ? i + 1 : i, r0 === 0 ? n + step - m : n + m));
        const edges = rim.map((_, m) => m < step && sharp[r0 === 0 ? i + 1 : i]);
        mesh.face([...rim, point(r0 === 0 ? i : i + 1, 0)], { accent: n < quarter, edges: [...edges, false] });
      }
    } else for (let n = 0; n < sides; n++)
      mesh.face([point(i, n), point(i, n + 1), point(i + 1, n + 1), point(i + 1, n)], { accent: n < quarter, edges: [sharp[i], false, sharp[i + 1], false] });
  }
  return mesh;
}

function cylinderMesh(radius, length, tile, sides) {
  const n = pieces(length, tile), profile = [[0, -length / 2]];
  for (let i = 0; i <= n; i++) profile.push([radius, length * (i / n - 0.5)]);
  profile.push([0, length / 2]);
  return lathe(profile, profile.map((_, i) => i === 1 || i === n + 1), sides);
}

function capsuleMesh(radius, length, tile, sides) {
  const n = pieces(length, tile), rings = sides > FEW_SIDES ? 3 : 2, profile = [], end = sign => {
    for (let i = 1; i < rings; i++) {
      const t = Math.PI / 2 * (sign > 0 ? i : rings - i) / rings;
      profile.push([radius * Math.cos(t), sign * (length / 2 + radius * Math.sin(t))]);
    }
  };
  profile.push([0, -length / 2 - radius]);
  end(-1);
  for (let i = 0; i <= (length > 0 ? n : 0); i++) profile.push([radius, length * (i / n - 0.5)]);
  end(1);
  profile.push([0, length / 2 + radius]);
  return lathe(profile, profile.map(() => false), sides);
}

function coneMesh(radius, length, tile, sides) { // base below, apex above
  const n = pieces(Math.hypot(radius, length), tile), profile = [[0, -length / 2]];
  for (let i = 0; i <= n; i++) profile.push([i < n ? radius * (1 - i / n) : 0, length * (i / n - 0.5)]);
  return lathe(profile, profile.map((_, i) => i === 1), sides);
}

function ellipsoidMesh(size, sides) {
  const rings = sides / 2, profile = [];
  for (let i = 0; i <= rings; i++) { const t = Math.PI * i / rings; profile.push([i % rings ? Math.sin(t) : 0, -Math.cos(t)]); }
  return lathe(profile, profile.map(() => false), sides, size.map(x => x / 2));
}

// Polygons: surface = { points: [x, y, z, x, …], faces: [[i, j, k, …], …] }. A convex one shows all its edges, unless there are very
// many; another one those where it bends sharply or ends. Only triangles can be cut into pieces.
const CREASE = Math.cos(25 * Math.PI / 180), FLAT = 1 - 1e-9, MANY_EDGES = 300;
function surfaceMesh(surface, convex, tile) {
  const mesh = new Mesh(), point = i => [surface.points[3 * i], surface.points[3 * i + 1], surface.points[3 * i + 2]];
  const loops = surface.faces.filter(loop => norm(normalOf(loop.map(point))) > 0), normals = loops.map(loop => unit(normalOf(loop.map(point))));
  const sides = new Map(), key = (i, j) => (i < j ? `${i} ${j}` : `${j} ${i}`); // of each edge the faces that meet in it
  loops.forEach((loop, f) => loop.forEach((i, n) => { const k = key(i, loop[(n + 1) % loop.length]); if (sides.has(k)) sides.get(k).push(f); else sides.set(k, [f]); }));
  const bend = convex && sides.size < MANY_EDGES ? FLAT : CREASE;
  const shown = k => { const [f, g, h] = sides.get(k); return g === undefined || h !== undefined || dot(normals[f], normals[g]) < bend; };
  mesh.convex = convex;
  mesh.closed = [...sides.values()].every(s => s.length === 2);
  const [lo, hi] = boxAround(loops.flat().map(point)), longest = Math.max(tile, norm(minusVector(hi, lo)) / 12);
  // Every edge that is too long is cut in its middle, in the one triangle as in its neighbour: no cracks.
  const cut = (p, edges) => {
    const lengths = p.map((x, i) => norm(minusVector(p[(i + 1) % 3], x))), i = lengths.indexOf(Math.max(...lengths)), [a, b, c] = [p[i], p[(i + 1) % 3], p[(i + 2) % 3]];
    if (lengths[i] <= longest) { mesh.face(p, { edges }); return; }
    const m = a.map((x, k) => (x + b[k]) / 2), [e, f, g] = [edges[i], edges[(i + 1) % 3], edges[(i + 2) % 3]];
    cut([a, m, c], [e, false, g]);
    cut([m, b, c], [e, f, false]);
  };
  for (const loop of loops) {
    const p = loop.map(point), edges = loop.map((i, n) => shown(key(i, loop[(n + 1) % loop.length])));
    if (p.length === 3 && !convex) cut(p, edges); else mesh.face(p, { edges });
  }
  return mesh;
}

// The mesh of a shape in the frame of its body, in pieces no longer than tile; null for what is drawn otherwise (spheres, segments,
// planes, points). A hull, mesh or height field has its surface with it.
const MESHES = {
  box: (s, tile) => boxMesh(s.size, tile),
  cylinder: (s, tile, sides) => cylinderMesh(s.radius, s.length, tile, sides),
  capsule: (s, tile, sides) => capsuleMesh(s.radius, s.length, tile, sides),
  cone: (s, tile, sides) => coneMesh(s.radius, s.length, tile, sides),
  ellipsoid: (s, tile, sides) => ellipsoidMesh(s.size, sides),
  hull: (s, tile) => surfaceMesh(s.surface, true, tile),
  mesh: (s, tile) => surfaceMesh(s.surface, false, tile),
  height_field: (s, tile) => surfaceMesh(s.surface, false, tile),
};
function meshOf(shape, tile, sides = SIDES) {
  const make = MESHES[shape.type];
  return make ? make(shape, tile, sides).moved(rotationFrom(...(shape.orientation || [1, 0, 0, 0])), shape.position || [0, 0, 0]) : null;
}

// ---------------------------------------------------------------- solids
const LIGHT = unit([-0.3, 0.6, 0.75]), SHADES = 32, BACK_LIGHT = 0.6; // the inside of an open surface is darker

// A mesh that has been placed in front of the camera. paint: { shades, accents (SHADES colours, dark to bright), edge, mark }.
class Solid {
  constructor(mesh, owner, paint) {
    Object.assign(this, { mesh, owner, paint, x0: 0, x1: 0, y0: 0, y1: 0, center: [0, 0, 0], radius: mesh.radius, order: 0, visible: [] });
    this.view = new Float64Array(3 * mesh.points.length); // camera coordinates
    this.screen = new Float64Array(2 * mesh.points.length); // pixels
    this.planes = new Float64Array(4 * mesh.planes.length); // normals and offsets in camera coordinates
    this.faces = mesh.faces.map(f => ({ ...f, solid: this, n: [0, 0, 0], c: [0, 0, 0], x0: 0, x1: 0, y0: 0, y1: 0, key: 0, index: 0, side_of: 0, back: false, drawn: f.edges.filter(Boolean).length }));
  }

  // False if there is nothing to see. The camera: R, center, scale (pixels per metre), ox, oy (pixels of its center), w, h.
  place(camera, R, p) {
    const M = product(camera.R, R), d = rotate(camera.R, minusVector(p, camera.center)), { points } = this.mesh, { view, screen } = this, { scale, ox, oy } = camera;
    this.center = place(M, d, this.mesh.center);
    this.visible.length = 0;
    if (!finite(this.center)) return false;
    [this.x0, this.y0, this.x1, this.y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < points.length; i++) {
      const v = points[i], x = dot(M[0], v) + d[0], y = dot(M[1], v) + d[1], X = ox + scale * x, Y = oy - scale * y;
      view[3 * i] = x; view[3 * i + 1] = y; view[3 * i + 2] = dot(M[2], v) + d[2];
      screen[2 * i] = X; screen[2 * i + 1] = Y;
      if (X < this.x0) this.x0 = X;
      if (X > this.x1) this.x1 = X;
      if (Y < this.y0) this.y0 = Y;
      if (Y > this.y1) this.y1 = Y;
    }
    if (this.x1 < 0 || this.y1 < 0 || this.x0 > camera.w || this.y0 > camera.h) return false;
    for (let i = 0; i < this.mesh.planes.length; i++) {
      const { normal, offset } = this.mesh.planes[i], n = this.planes, o = 4 * i;
      n[o] = dot(M[0], normal); n[o + 1] = dot(M[1], normal); n[o + 2] = dot(M[2], normal);
      n[o + 3] = offset + n[o] * d[0] + n[o + 1] * d[1] + n[o + 2] * d[2];
    }
    const { closed } = this.mesh;
    for (const f of this.faces) {
      const n = f.n, c = f.c, count = f.corners.length;
      n[2] = dot(M[2], f.normal);
      f.back = n[2] < 0;
      if (Math.abs(n[2]) < 1e-3 || (f.back && closed)) continue; // seen edge on or from behind
      n[0] = dot(M[0], f.normal); n[1] = dot(M[1], f.normal);
      if (f.back) { n[0] = -n[0]; n[1] = -n[1]; n[2] = -n[2]; }
      c[0] = c[1] = c[2] = 0;
      f.x0 = f.y0 = Infinity; f.x1 = f.y1 = -Infinity;
      for (let j = 0; j < count; j++) {
        const i = f.corners[j], X = screen[2 * i], Y = screen[2 * i + 1];
        c[0] += view[3 * i] / count; c[1] += view[3 * i + 1] / count; c[2] += view[3 * i + 2] / count;
        if (X < f.x0) f.x0 = X;
        if (X > f.x1) f.x1 = X;
        if (Y < f.y0) f.y0 = Y;
        if (Y > f.y1) f.y1 = Y;
      }
      f.key = c[2];
      if (f.x1 >= 0 && f.y1 >= 0 && f.x0 <= camera.w && f.y0 <= camera.h) this.visible.push(f);
    }
    return this.visible.length > 0;
  }

  drawFace(g, f) {
    const { screen, paint } = this, { corners, edges } = f, n = corners.length;
    const trace = (from, to) => { for (let j = from; j <= to; j++) { const i = 2 * corners[j % n]; g[j === from ? "moveTo" : "lineTo"](screen[i], screen[i + 1]); } };
    const level = Math.round((SHADES - 1) * clamp(dot(f.n, LIGHT), 0, 1) * (f.back ? BACK_LIGHT : 1));
    g.beginPath();
    trace(0, n - 1);
    g.closePath();
    g.fillStyle = f.decal ? paint.mark : f.accent ? paint.accents[level] : paint.shades[level];
    g.fill();
    if (f.decal) return;
    // Neighbours meet in a hairline of background; a stroke in the colour of the face closes it. Strokes are dear: none in vain.
    const { drawn } = f;
    if (drawn < n) { g.lineWidth = 0.8; g.strokeStyle = g.fillStyle; g.stroke(); }
    if (drawn === 0) return;
    if (drawn < n) { g.beginPath(); for (let j = 0; j < n; j++) if (edges[j]) trace(j, j + 1); }
    g.strokeStyle = paint.edge;
    g.lineWidth = 1;
    g.stroke();
  }
  draw(g) { for (const f of this.visible) this.drawFace(g, f); }
}

// ---------------------------------------------------------------- painter
const apart = (a, b) => a.x1 < b.x0 || b.x1 < a.x0 || a.y1 < b.y0 || b.y1 < a.y0;

// Has an edge of face a all of face b outside, on the screen?
function parted(a, b) {
  const p = a.solid.screen, q = b.solid.screen, ca = a.corners, cb = b.corners, na = ca.length, nb = cb.length;
  let x0 = p[2 * ca[na - 1]], y0 = p[2 * ca[na - 1] + 1];
  for (let j = 0; j < na; j++) {
    const x1 = p[2 * ca[j]], y1 = p[2 * ca[j] + 1], dx = x1 - x0, dy = y1 - y0, slack = -1e-6 * (Math.abs(dx) + Math.abs(dy));
    // Counter-clockwise seen by the viewer is clockwise in pixels, whose y points down.
    let m = 0;
    while (m < nb && dx * (q[2 * cb[m] + 1] - y0) - dy * (q[2 * cb[m]] - x0) >= slack) m++;
    if (m === nb) return true;
    x0 = x1;
    y0 = y1;
  }
  return false;
}
const overlap = (f, g) => !parted(f, g) && !parted(g, f); // exact, because both are convex

// The point of a face nearest to p, in camera coordinates.
function nearestPoint(f, p) {
  const { view } = f.solid, n = f.corners.length, corner = j => { const i = 3 * f.corners[j % n]; return [view[i], view[i + 1], view[i + 2]]; };
  let best = null, distance = Infinity;
  for (let j = 0; j < n; j++) {
    const a = corner(j), e = minusVector(corner(j + 1), a), d = minusVector(p, a);
    if (dot(cross(e, d), f.n) >= 0) continue; // inside of this edge
    const q = axpy(clamp(dot(d, e) / (dot(e, e) || 1), 0, 1), e, a), r = norm(minusVector(p, q));
    if (r < distance) [best, distance] = [q, r];
  }
  return best || axpy(dot(f.n, f.c) - dot(f.n, p), f.n, p);
}

// The painter's list: faces of solids and spots. A spot is anything small enough to have one place: a ball (radius > 0), a piece of a
// line, a symbol; it has center (camera coordinates), radius (m), key (depth), x0, x1, y0, y1 (pixels), draw(g) or, as a piece of a
// line, rod(first piece, last piece) and piece, and perhaps over (owners above which it is always painted) or owner.
//
// Two solids that a plane of one of them separates are in a known order. For the faces of others that overlap on the screen the planes
// decide: if all of g lies on the outer side of the plane of f, then f is painted first, and if all of g lies on the inner side, g is.
// What the planes leave open (faces that cut each other) goes by depth, and is why large faces are cut into pieces. The order is a
// topological sort in which, of all that may be painted next, the farthest is.
const MOST_PAIRED = 2000; // more faces of one solid are so small that their depth is enough
class Painter {
  constructor() { this.solids = []; this.spots = []; this.items = []; this.before = []; this.after = []; this.near = []; }
  begin(tolerance) {
    this.tolerance = tolerance;
    for (const list of [this.solids, this.spots, this.items, this.before, this.after]) list.length = 0;
  }
  addSolid(solid) { solid.order = this.solids.push(solid); }
  addSpot(spot) { this.spots.push(spot); }

  constrain(first, second) { this.before.push(first.index); this.after.push(second.index); }

  // +1 if all given corners are on the outer side of the plane of f, -1 on the inner side, 2 in it, 0 if on both.
  sideOfFace(f, solid, corners, count) {
    const { view } = solid, [nx, ny, nz] = f.n, d = f.n[0] * f.c[0] + f.n[1] * f.c[1] + f.n[2] * f.c[2], tol = this.tolerance;
    let outer = false, inner = false;
    for (let j = 0; j < count; j++) {
      const i = 3 * (corners ? corners[j] : j), s = nx * view[i] + ny * view[i + 1] + nz * view[i + 2] - d;
      if (s > tol) outer = true; else if (s < -tol) inner = true;
      if (outer && inner) return 0;
    }
    return outer ? 1 : inner ? -1 : 2;
  }
  sideOfSolid(f, solid) {
    const s = f.n[0] * (solid.center[0] - f.c[0]) + f.n[1] * (solid.center[1] - f.c[1]) + f.n[2] * (solid.center[2] - f.c[2]);
    if (s > solid.radius) return 1;
    return s < -solid.radius ? -1 : this.sideOfFace(f, solid, null, solid.view.length / 3);
  }

  // +1 if a plane of A has all of B on its outer side and A, being convex, is farther; -1 if it is nearer; 0 if there is no such plane.
  separation(A, B) {
    const { planes } = A, { view, center, radius } = B, tol = this.tolerance;
    for (let i = 0; i < planes.length; i += 4) {
      const nx = planes[i], ny = planes[i + 1], nz = planes[i + 2], d = planes[i + 3], s = nx * center[0] + ny * center[1] + nz * center[2] - d;
      if (s <= 0) continue;
      let j = s > radius ? view.length : 0;
      while (j < view.length && nx * view[j] + ny * view[j + 1] + nz * view[j + 2] - d >= -tol) j += 3;
      if (j >= view.length) return nz > 0 ? 1 : -1;
    }
    return 0;
  }

  orderSolids(A, B) {
    const known = this.separation(A, B) || -this.separation(B, A), { near } = this;
    near.length = 0;
    for (const g of B.visible) if (!apart(g, A)) { near.push(g); g.side_of = known ? 0 : this.sideOfSolid(g, A); }
    for (const f of A.visible) {
      if (apart(f, B)) continue;
      const side = known ? 0 : this.sideOfSolid(f, B);
      for (const g of near) {
        if (apart(f, g)) continue;
        let vote = known;
        if (!known) {
          const s = side || this.sideOfFace(f, B, g.corners, g.corners.length), t = g.side_of || this.sideOfFace(g, A, f.corners, f.corners.length);
          // Faces in one plane cannot hide each other: always the same one on top, or they would flicker.
          vote = s === 2 || t === 2 || (s === -1 && t === -1) ? B.order - A.order : s - t;
        }
        if (vote === 0 || !overlap(f, g)) continue;
        if (vote > 0) this.constrain(f, g); else this.constrain(g, f);
      }
    }
  }

  orderSpot(spot, solid) {
    const over = spot.over && spot.over.includes(solid.owner), { center, radius } = spot;
    for (const f of solid.visible) {
      if (apart(f, spot)) continue;
      const d = minusVector(center, nearestPoint(f, center)), height = dot(f.n, center) - dot(f.n, f.c);
      // The plane through the nearest point, at right angles to d, has the face on one side and the spot on the other.
      let first = d[2] >= 0;
      // A ball that cuts the face hides it if much of it stands out, unless the face reaches far out of the ball towards the viewer.
      if (norm(d) <= radius + this.tolerance) first = height >= 0 || (height > -0.7 * radius && f.c[2] - center[2] < 0.7 * radius);
      if (over || first) this.constrain(f, spot); else this.constrain(spot, f);
    }
  }
  orderSpots(a, b) {
    if (a.over && a.over.includes(b.owner)) { this.constrain(b, a); return; }
    if (b.over && b.over.includes(a.owner)) { this.constrain(a, b); return; }
    // For balls that do not cut each other the order of the centers is exact; for lines and symbols it is a guess, good for the depth
    // that everything is sorted by, not for a constraint.
    if (!(a.radius > 0 && b.radius > 0) && (a.over || b.over || a.radius === b.radius)) return;
    if (Math.hypot(a.x0 + a.x1 - b.x0 - b.x1, a.y0 + a.y1 - b.y0 - b.y1) > a.x1 - a.x0 + b.x1 - b.x0) return; // squares meet, circles do not
    if (a.center[2] - b.center[2] > this.tolerance) this.constrain(b, a); else this.constrain(a, b); // the first added goes under
  }

  // A decal goes onto its side.
  orderDecals(solid) {
    for (const f of solid.visible) if (f.decal) for (const g of solid.visible) if (!g.decal && g.side === f.side && !apart(f, g)) this.constrain(g, f);
  }

  // Faces of a solid that is not convex: as those of two solids, while they are few enough for all their pairs.
  orderWithin(solid) {
    const list = solid.visible;
    if (solid.mesh.convex || list.length > MOST_PAIRED) return;
    list.sort((a, b) => a.x0 - b.x0);
    for (let i = 0; i < list.length; i++) {
      const f = list[i];
      for (let j = i + 1; j < list.length && list[j].x0 <= f.x1; j++) {
        const g = list[j];
        if (apart(f, g)) continue;
        const s = this.sideOfFace(f, solid, g.corners, g.corners.length), t = this.sideOfFace(g, solid, f.corners, f.corners.length);
        if (s === 2 || t === 2 || s === t || !overlap(f, g)) continue;
        if (s > t) this.constrain(f, g); else this.constrain(g, f);
      }
    }
  }

  // All items, farthest first.
  sorted() {
    const { solids, spots, items, before, after } = this;
    for (const s of spots) items.push(s);
    for (const s of solids) for (const f of s.visible) items.push(f);
    items.sort((a, b) => a.key - b.key); // stable
    for (let i = 0; i < items.length; i++) items[i].index = i;
    for (let i = 0; i < solids.length; i++) {
      this.orderDecals(solids[i]);
      this.orderWithin(solids[i]);
      for (let j = i + 1; j < solids.length; j++) if (!apart(solids[i], solids[j])) this.orderSolids(solids[i], solids[j]);
      for (const s of spots) if (!apart(s, solids[i])) this.orderSpot(s, solids[i]);
    }
    for (let i = 0; i < spots.length; i++) for (let j = i + 1; j < spots.length; j++) if (!apart(spots[i], spots[j])) this.orderSpots(spots[i], spots[j]);
    return topological(items, before, after);
  }
  paint(g) {
    const order = this.sorted();
    for (let i = 0; i < order.length; i++) {
      const item = order[i];
      if (item.solid) item.solid.drawFace(g, item);
      else if (item.rod) { // pieces that follow each other are one line, or their ends would show as beads
        const first = item.piece;
        while (i + 1 < order.length && order[i + 1].rod === item.rod && Math.abs(order[i + 1].piece - order[i].piece) === 1) i++;
        item.rod(Math.min(first, order[i].piece), Math.max(first, order[i].piece));
      } else item.draw(g);
    }
  }
}

// Items are numbered by depth; the constraints before[i] → after[i] come first, then the number. A cycle (three bars, each over the
// next, or faces that cut each other) is opened at its farthest item.
function topological(items, before, after) {
  const n = items.length, count = before.length;
  const grouped = (from, to) => { // to, grouped by from: those of i are list[start[i]] … list[start[i + 1] - 1]
    const start = new Int32Array(n + 1), list = new Int32Array(count);
    for (let c = 0; c < count; c++) start[from[c] + 1]++;
    for (let i = 0; i < n; i++) start[i + 1] += start[i];
    const fill = start.slice();
    for (let c = 0; c < count; c++) list[fill[from[c]]++] = to[c];
    return { start, list };
  };
  const later = grouped(before, after), waits = new Int32Array(n), done = new Uint8Array(n), out = [];
  for (let c = 0; c < count; c++) waits[after[c]]++;
  const heap = new Int32Array(n + 1); // binary, smallest number first
  let size = 0, earlier = null;
  const push = x => {
    let i = ++size;
    for (; i > 1 && heap[i >> 1] > x; i >>= 1) heap[i] = heap[i >> 1];
    heap[i] = x;
  };
  const pop = () => {
    const top = heap[1], x = heap[size--];
    let i = 1;
    for (let c = 2; c <= size; c = 2 * i) {
      if (c < size && heap[c + 1] < heap[c]) c++;
      if (heap[c] >= x) break;
      heap[i] = heap[c];
      i = c;
    }
    heap[i] = x;
    return top;
  };
  // Everything left waits for something left: going back from one to the next must come round.
  const onCycle = i => {
    earlier = earlier || grouped(after, before);
    const { start, list } = earlier, step = new Map(), path = [];
    for (let c; !step.has(i); i = list[c]) {
      step.set(i, path.push(i) - 1);
      for (c = start[i]; done[list[c]]; c++);
    }
    return Math.min(...path.slice(step.get(i)));
  };
  for (let i = 0; i < n; i++) if (waits[i] === 0) push(i);
  for (let farthest = 0; out.length < n;) {
    if (!size) { while (done[farthest]) farthest++; push(onCycle(farthest)); }
    const i = pop();
    done[i] = 1;
    out.push(items[i]);
    for (let c = later.start[i]; c < later.start[i + 1]; c++) if (--waits[later.list[c]] === 0 && !done[later.list[c]]) push(later.list[c]);
  }
  return out;
}

// ---------------------------------------------------------------- view
// A canvas with a camera. R holds the screen's axes in the world (right, up, towards the viewer), center the world's point in the
// middle; up is the direction that stays upright. The owner sets R, up, center, radius (of all there is to see), w, h, scale and g.
class View {
  constructor(canvas, changed) {
    Object.assign(this, { canvas, changed, painter: new Painter() });
    this.listen();
  }
  look(R, up) { Object.assign(this, { R, up, home: R, zoom: 1, pan: [0, 0] }); this.changed(); }

  // Turntable: sideways about the world's up, up and down about the screen's right, so the horizon stays level.
  rotate(dx, dy) {
    const turn = (axis, angle) => v => { // Rodrigues
      const c = Math.cos(angle), n = cross(axis, v), d = dot(axis, v) * (1 - c);
      return v.map((x, i) => x * c + n[i] * Math.sin(angle) + axis[i] * d);
    };
    this.R = this.R.map(turn(this.up, -dx));
    // Not over the pole: there the picture would stand on its head.
    const elevation = Math.asin(clamp(dot(this.R[2], this.up), -1, 1)), pole = Math.PI / 2;
    this.R = this.R.map(turn(this.R[0], -clamp(dy, Math.min(0, -pole - elevation), Math.max(0, pole - elevation))));
    this.changed();
  }
  listen() {
    const c = this.canvas;
    let drag = null;
    c.addEventListener("pointerdown", e => { drag = [e.clientX, e.clientY]; c.setPointerCapture(e.pointerId); });
    c.addEventListener("pointermove", e => {
      if (!drag) return;
      const dx = e.clientX - drag[0], dy = e.clientY - drag[1];
      drag = [e.clientX, e.clientY];
      if (e.shiftKey || e.buttons & 6) { // right or middle button
        this.pan = [this.pan[0] + dx, this.pan[1] + dy];
        this.changed();
      } else this.rotate(dx * 0.008, dy * 0.008);
    });
    for (const n of ["pointerup", "pointercancel"]) c.addEventListener(n, () => { drag = null; });
    c.addEventListener("contextmenu", e => e.preventDefault()); // the right button pans
    c.addEventListener("wheel", e => {
      e.preventDefault();
      // Zoom about the pointer, not the middle: what one looks at stays where it is.
      const f = clamp(this.zoom * Math.exp(-e.deltaY * 0.0015), 0.05, 200) / this.zoom;
      const x = e.offsetX - this.w / 2, y = e.offsetY - this.h / 2;
      this.zoom *= f;
      this.pan = [x + (this.pan[0] - x) * f, y + (this.pan[1] - y) * f];
      this.changed();
    }, { passive: false });
    c.addEventListener("dblclick", () => this.reset());
  }

  get ox() { return this.w / 2 + this.pan[0]; }
  get oy() { return this.h / 2 + this.pan[1]; }
  project(p) {
    const d = minusVector(p, this.center), R = this.R;
    return [this.ox + this.scale * dot(R[0], d), this.oy - this.scale * dot(R[1], d), dot(R[2], d)];
  }

  // Drawing primitives; points are [x, y, …] in pixels, a null style leaves that part out.
  paint(fill, stroke, width = 1.2) {
    if (fill) { this.g.fillStyle = fill; this.g.fill(); }
    if (stroke) { this.g.strokeStyle = stroke; this.g.lineWidth = width; this.g.stroke(); }
  }
  line(points, stroke, width) { this.trace(points); this.paint(null, stroke, width); }
  polygon(points, fill, stroke) { this.trace(points); this.g.closePath(); this.paint(fill, stroke); }
  trace(points) { // a point that is not a number lifts the pen
    let pen = false;
    this.g.beginPath();
    for (const [x, y] of points) { const ok = x === x && y === y; if (ok) this.g[pen ? "lineTo" : "moveTo"](x, y); pen = ok; }
  }
  disc(p, r, fill, stroke, width) { this.g.beginPath(); this.g.arc(p[0], p[1], r, 0, 2 * Math.PI); this.paint(fill, stroke, width); }
  ball(p, r, paint) {
    const shade = this.g.createRadialGradient(p[0] - 0.4 * r, p[1] - 0.4 * r, 0.1 * r, p[0], p[1], 1.1 * r);
    shade.addColorStop(0, paint.bright);
    shade.addColorStop(1, paint.base);
    this.disc(p, r, shade, paint.edge);
  }

  // A spot of the painter's list at a point of the world; reach: pixels around it that it may cover.
  addSpot(p, radius, reach, draw, more) {
    const q = this.project(p);
    if (!finite(q)) return;
    const center = rotate(this.R, minusVector(p, this.center)), [x, y] = q;
    this.painter.addSpot({ center, radius, key: q[2], x0: x - reach, x1: x + reach, y0: y - reach, y1: y + reach, draw: () => draw(q), ...more });
  }
  // A straight line in pieces, so that a part of it can be hidden.
  addRod(from, to, color, width, more) {
    const d = minusVector(to, from), length = norm(d), n = clamp(Math.ceil(length / (0.1 * this.radius)), 1, 20), end = i => this.project(axpy(i / n, d, from));
    const rod = (first, last) => this.line([end(first), end(last + 1)], color, width);
    for (let piece = 0; piece < n; piece++) this.addSpot(axpy((piece + 0.5) / n, d, from), 0, this.scale * length / n / 2 + width, null, { ...more, rod, piece });
  }
}

return { clamp, dot, cross, axpy, minusVector, norm, unit, finite, across, IDENTITY, rotationFrom, rotate, place, frameAlong, SHADES, FEW_SIDES, boxAround, MESHES, meshOf, Solid, Painter, View };
})();
