import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layoutColumns } from "../layout/layout.ts";
import { largeModel, sampleModel } from "../../graph/testing/sample-graph.ts";
import { type Aim, boxOf, firstView, fitAll, isInWindow, viewFor } from "./viewport.ts";
import { visibleGraph } from "../../graph/visible-graph.ts";

const frame = { width: 1_400, height: 800 };
const model = sampleModel([
  ["billing", "failed", "notify"],
  ["billing", "large", "notify"],
  ["signup", "welcome", "mail"],
]);
const { nodes } = visibleGraph(model, { shownIds: null, folds: new Set() });
const positions = layoutColumns(visibleGraph(model, { shownIds: null, folds: new Set() }));
const project = { nodes, positions, frame, isDue: true, isCentred: false };
const nothingInView = { x: -9_000, y: -9_000, zoom: 1 };
const allInView = viewFor({ to: "all" }, { ...project, viewport: nothingInView }) ?? nothingInView;

describe("the viewport", () => {
  it("stays where the user moved it, as long as a node is in view", () => {
    expect(viewFor({ to: "hand" }, { ...project, viewport: allInView })).toBeNull();
    expect(
      viewFor({ to: "all" }, { ...project, isDue: false, viewport: { ...allInView, x: allInView.x + 50 } }),
    ).toBeNull();
  });

  it("centres a node outside the view, and does not move for a visible one", () => {
    const aim: Aim = { to: "node", id: "trigger:welcome" };
    expect(viewFor(aim, { ...project, viewport: allInView })).toBeNull();
    const moved = viewFor(aim, { ...project, viewport: nothingInView });
    const box = positions.get("trigger:welcome");
    expect(moved?.zoom).toBe(1);
    expect((box?.x ?? 0) + (moved?.x ?? 0)).toBeGreaterThan(300);
  });

  it("centres a centred node again when the frame shrinks", () => {
    const aim: Aim = { to: "node", id: "trigger:welcome" };
    const moved = viewFor(aim, { ...project, viewport: nothingInView }) ?? nothingInView;
    const narrow = viewFor(aim, { ...project, viewport: moved, frame: { width: 1_000, height: 800 }, isCentred: true });
    expect(narrow).toEqual({ ...moved, x: moved.x - 200 });
    expect(
      viewFor(aim, {
        ...project,
        viewport: moved,
        frame: { width: 1_000, height: 800 },
        isCentred: true,
        isDue: false,
      }),
    ).toBeNull();
  });

  it("keeps a collapsed endpoint at its vertical position", () => {
    const at = positions.get("endpoint:signup");
    const moved = viewFor(
      { to: "stay", id: "endpoint:signup", top: 300 },
      { ...project, viewport: { x: 40, y: 0, zoom: 0.5 } },
    );
    expect(moved).toEqual({ x: 40, y: 300 - (at?.y ?? 0) * 0.5, zoom: 0.5 });
  });

  it("has a node in view after every action, from any previous view", () => {
    const large = visibleGraph(largeModel(60), { shownIds: null, folds: new Set() });
    const layout = layoutColumns(large);
    const aims = fc.oneof(
      fc.constantFrom<Aim>({ to: "hand" }, { to: "start" }, { to: "all" }),
      fc.record({
        to: fc.constant("node" as const),
        id: fc.constantFrom(...large.nodes.map(({ id }) => id), "trigger:gone"),
      }),
      fc.record({
        to: fc.constant("stay" as const),
        id: fc.constantFrom(...large.nodes.map(({ id }) => id)),
        top: fc.integer({ min: -5_000, max: 5_000 }),
      }),
    );
    const viewports = fc.record({
      x: fc.integer({ min: -20_000, max: 20_000 }),
      y: fc.integer({ min: -20_000, max: 20_000 }),
      zoom: fc.double({ min: 0.08, max: 2, noNaN: true }),
    });
    const frames = fc.record({
      width: fc.integer({ min: 300, max: 2_560 }),
      height: fc.integer({ min: 300, max: 1_400 }),
    });
    fc.assert(
      fc.property(aims, viewports, frames, fc.boolean(), fc.boolean(), (aim, viewport, size, isDue, isCentred) => {
        const view =
          viewFor(aim, { nodes: large.nodes, positions: layout, viewport, frame: size, isDue, isCentred }) ?? viewport;
        const isInView = large.nodes.some((node) => {
          const box = boxOf(node, layout);
          return box !== null && isInWindow(box, { viewport: view, frame: size });
        });
        expect(isInView).toBe(true);
      }),
    );
  });
});

describe("the initial view", () => {
  const frame = { width: 1400, height: 800 };

  it("shows all of a small project, and a readable top of a large one", () => {
    expect(firstView({ x: 0, y: 0, width: 1000, height: 500 }, frame).zoom).toBe(1);
    const large = firstView({ x: 0, y: 0, width: 1000, height: 50_000 }, frame);
    expect(large.zoom).toBe(1);
    expect(large.y).toBeGreaterThan(0);
    expect(fitAll({ x: 0, y: 0, width: 1000, height: 5_000 }, frame).zoom).toBeLessThan(0.2);
  });

  it("has text of at least 10 px on a wide window, and all columns on a narrow one", () => {
    for (const height of [500, 900, 1_100, 20_000])
      expect([height, 13 * firstView({ x: 0, y: 0, width: 1_016, height }, frame).zoom >= 10]).toEqual([height, true]);
    const narrow = firstView({ x: 0, y: 0, width: 1_016, height: 2_000 }, { width: 712, height: 900 });
    expect(narrow.x + 1_016 * narrow.zoom).toBeLessThanOrEqual(712);
  });
});
