import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CanvasModel } from "./build-model.ts";
import { type Layout, layoutColumns } from "./column-layout.ts";
import { fromElkGraph, suitsElk, toElkGraph } from "./elk-graph.ts";
import { layoutKey } from "./layout-key.ts";
import { nodeSize } from "./node-size.ts";
import { placeNewcomers } from "./place-newcomers.ts";
import { largeModel, sampleModel } from "./testing/sample-graph.ts";
import { type VisibleGraph, visibleGraph } from "./visible-graph.ts";

const all = (model: CanvasModel) => visibleGraph(model, { endpoint: null, collapsed: new Set(), opened: null });

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

describe("the simple layout", () => {
  it("gives every node a place of its own, whatever the project", () => {
    fc.assert(
      fc.property(waysArbitrary, (ways) => {
        const graph = all(sampleModel(ways, ["lonely", "other"]));
        expect(overlaps(graph, layoutColumns(graph))).toEqual([]);
      }),
    );
  });

  it("stands for 2,000 triggers well within a second", () => {
    const graph = all(largeModel(2_000));
    const start = performance.now();
    expect(layoutColumns(graph).size).toBe(graph.nodes.length);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe("ELK", () => {
  it("is asked for small projects only", () => {
    expect(suitsElk(all(largeModel(50)))).toBe(true);
    expect(suitsElk(all(largeModel(300)))).toBe(false);
  });

  it("lays out in our columns and in the order of the model, the same every time", async () => {
    const { default: ELK } = await import("elkjs/lib/elk.bundled.js");
    const graph = all(largeModel(12));
    const layOut = async () => fromElkGraph(await new ELK().layout(toElkGraph(graph)), graph);
    const layout = await layOut();
    if (!layout) throw new Error("no layout");
    expect(overlaps(graph, layout)).toEqual([]);
    const heights = graph.nodes.filter(({ kind }) => kind === "trigger").map(({ id }) => layout.get(id)?.y ?? 0);
    expect(heights).toEqual(heights.toSorted((one, other) => one - other));
    expect(await layOut()).toEqual(layout);
  });

  it("an answer that leaves a node out is no layout", () => {
    expect(fromElkGraph({ id: "canvas", children: [] }, all(largeModel(3)))).toBeNull();
  });
});

describe("when the project was saved", () => {
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

  it("what was there stays where it is, and what is new lies over nothing", () => {
    const old = layoutColumns(before);
    const layout = placeNewcomers(after, old);
    if (!layout) throw new Error("no layout");
    for (const { id } of before.nodes) expect(layout.get(id)).toEqual(old.get(id));
    expect(overlaps(after, layout)).toEqual([]);
  });

  it("a trigger that has grown over the next one has all laid out anew", () => {
    const grown = all(
      sampleModel([
        ["billing", "failed", "notify", 9],
        ["billing", "paid", "ledger"],
        ["signup", "welcome", "mail"],
      ]),
    );
    expect(placeNewcomers(grown, layoutColumns(before))).toBeNull();
  });

  it("a project of which little is left is laid out anew", () => {
    expect(placeNewcomers(after, new Map([["trigger:failed", { x: 0, y: 0 }]]))).toBeNull();
  });

  it("a layout is remembered by what it depends on: nodes, their sizes, edges", () => {
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
