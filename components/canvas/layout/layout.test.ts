import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CanvasModel } from "../../graph/canvas-model.ts";
import { layoutColumns, layoutKey, placeNewNodes } from "./layout.ts";
import { nodeSize } from "../../graph/node-content.ts";
import { largeModel, sampleModel } from "../../graph/testing/sample-graph.ts";
import { type VisibleGraph, visibleGraph, type Layout } from "../../graph/visible-graph.ts";

const all = (model: CanvasModel) => visibleGraph(model, { shownIds: null, folds: new Set() });

function overlaps({ nodes }: VisibleGraph, layout: Layout): string[] {
  const boxes = nodes.map((node) => ({
    id: node.id,
    kind: node.kind,
    y: layout.get(node.id)?.y ?? Number.NaN,
    height: nodeSize(node).height,
  }));
  return boxes.flatMap((one) =>
    boxes.flatMap((other) =>
      one.id < other.id &&
      one.kind === other.kind &&
      !(one.y + one.height <= other.y || other.y + other.height <= one.y)
        ? [`${one.id} × ${other.id}`]
        : [],
    ),
  );
}

const waysArbitrary = fc
  .array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(9), fc.nat(4), fc.nat(3)), { minLength: 1, maxLength: 20 })
  .map((rows) =>
    rows.map(
      ([endpoint, trigger, target, conditions]) =>
        [endpoint, `${endpoint}${trigger}`, `w${target}`, conditions] as const,
    ),
  );

describe("the layout in columns", () => {
  it("places nodes without overlap, for any project", () => {
    fc.assert(
      fc.property(waysArbitrary, (ways) => {
        const graph = all(sampleModel(ways, ["lonely", "other"]));
        expect(overlaps(graph, layoutColumns(graph))).toEqual([]);
      }),
    );
  });

  it("keeps the order of the model in the columns of sources and triggers", () => {
    const graph = all(largeModel(30));
    const layout = layoutColumns(graph);
    for (const kind of ["source", "trigger"]) {
      const heights = graph.nodes.filter((node) => node.kind === kind).map(({ id }) => layout.get(id)?.y ?? 0);
      expect(heights).toEqual(heights.toSorted((one, other) => one - other));
    }
  });

  it("places each target at the middle of its sources, in the order of these middles, so that few edges cross", () => {
    const graph = all(
      sampleModel([
        ["billing", "failed", "notify"],
        ["billing", "paid", "ledger"],
        ["signup", "welcome", "notify"],
        ["tickets", "opened", "answer"],
      ]),
    );
    const layout = layoutColumns(graph);
    const middle = (id: string) => {
      const node = graph.nodes.find((one) => one.id === id);
      return (layout.get(id)?.y ?? Number.NaN) + (node ? nodeSize(node).height : Number.NaN) / 2;
    };
    expect(middle("workflow:answer")).toBeCloseTo(middle("trigger:opened"), -1);
    expect(middle("workflow:ledger")).toBeLessThan(middle("workflow:notify"));
    // Where two of them would overlap, both are as near as possible.
    const both = (middle("workflow:ledger") + middle("workflow:notify")) / 2;
    const wanted = (middle("trigger:paid") + (middle("trigger:failed") + middle("trigger:welcome")) / 2) / 2;
    expect(Math.abs(both - wanted)).toBeLessThanOrEqual(1);
  });

  it("takes less than a second for 2,000 triggers", () => {
    const graph = all(largeModel(2_000));
    const start = performance.now();
    expect(layoutColumns(graph).size).toBe(graph.nodes.length);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe("after the project was saved", () => {
  const before = all(
    sampleModel([
      ["billing", "failed", "notify"],
      ["billing", "paid", "ledger"],
      ["signup", "welcome", "mail"],
    ]),
  );
  const after = all(
    sampleModel([
      ["billing", "failed", "notify"],
      ["billing", "large", "notify"],
      ["billing", "paid", "ledger"],
      ["signup", "welcome", "mail"],
    ]),
  );

  it("existing nodes keep their positions, and new nodes do not overlap", () => {
    const old = layoutColumns(before);
    const layout = placeNewNodes(after, old);
    if (!layout) throw new Error("no layout");
    for (const { id } of before.nodes) expect(layout.get(id)).toEqual(old.get(id));
    expect(overlaps(after, layout)).toEqual([]);
  });

  it("if a trigger grows over the next one, the layout is recomputed", () => {
    const grown = all(
      sampleModel([
        ["billing", "failed", "notify", 9],
        ["billing", "paid", "ledger"],
        ["signup", "welcome", "mail"],
      ]),
    );
    expect(placeNewNodes(grown, layoutColumns(before))).toBeNull();
  });

  it("if few nodes remain, the layout is recomputed", () => {
    expect(placeNewNodes(after, new Map([["trigger:failed", { x: 0, y: 0 }]]))).toBeNull();
  });

  it("the key of a layout depends on nodes, their sizes, and edges", () => {
    expect(layoutKey(before)).not.toBe(layoutKey(after));
    expect(layoutKey(before)).toBe(
      layoutKey(
        all(
          sampleModel([
            ["signup", "welcome", "mail"],
            ["billing", "paid", "ledger"],
            ["billing", "failed", "notify"],
          ]),
        ),
      ),
    );
  });
});
