import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Viewport } from "./canvas-storage.ts";
import { type CanvasStore, createCanvasStore } from "./canvas-store.ts";
import { largeModel } from "../graph/testing/sample-graph.ts";
import { boundsOf, boxOf, firstView, isInWindow } from "./plane/viewport.ts";
import type { CanvasUrl } from "./toolbar/use-canvas-url.ts";

const model = largeModel(120);
const noFilter: CanvasUrl = { window: "1h", endpoint: null, status: "all", q: "", node: null };
const frame = { width: 1_384, height: 850 };

function memory() {
  const texts = new Map<string, string>();
  return {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  };
}

beforeEach(() => {
  vi.stubGlobal("localStorage", memory());
  vi.stubGlobal("sessionStorage", memory());
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});
afterEach(() => void vi.unstubAllGlobals());

/** A canvas with a plane that moves at once. */
function openCanvas(first: Partial<CanvasUrl> = {}) {
  let at: Viewport = { x: 0, y: 0, zoom: 1 };
  const done = Promise.resolve(true);
  const read = (change: Partial<CanvasUrl>) => store.read({ model, url: { ...noFilter, ...change }, open: () => {} });
  const store: CanvasStore = createCanvasStore("mine", { model, url: { ...noFilter, ...first }, open: () => {} });
  read(first);
  const attach = (size: typeof frame) => {
    store.resize(size);
    at = { x: 0, y: 0, zoom: 1 };
    store.view.attach({
      getViewport: () => at,
      setViewport: (next) => {
        at = next;
        store.keepViewport(at);
        return done;
      },
      zoomIn: () => done,
      zoomOut: () => done,
      setCenter: () => done,
    });
  };
  attach(frame);
  const moveByHand = (next: Viewport) => {
    store.view.handleMove();
    at = next;
    store.keepViewport(at);
  };
  return { store, read, attach, moveByHand, viewport: () => at };
}

function boundsIn(store: CanvasStore) {
  const bounds = boundsOf(store.get().graph.nodes, store.get().positions);
  if (!bounds) throw new Error("The canvas has no nodes.");
  return bounds;
}

it("a large project starts collapsed, and an expanded endpoint stays expanded in the next visit", () => {
  const { store } = openCanvas();
  expect(store.get().graph.collapsed.size).toBe(model.sources.length);
  store.toggle("endpoint:e00001");
  const { collapsed } = openCanvas().store.get().graph;
  expect([collapsed.has("endpoint:e00001"), collapsed.size]).toEqual([false, model.sources.length - 1]);
});

it("a link to a trigger expands its endpoint, which stays expanded when the trigger is closed", () => {
  const { store, read } = openCanvas({ node: "trigger:t00004" });
  expect(store.get().graph.collapsed.has("endpoint:e00001")).toBe(false);
  read({});
  expect(store.get().graph.collapsed.has("endpoint:e00001")).toBe(false);
});

it("a filter shows its matches expanded; without it, the previous viewport and folds return", () => {
  const canvas = openCanvas();
  canvas.moveByHand({ x: 30, y: -900, zoom: 0.9 });
  canvas.read({ q: "t00004" });
  const { graph, positions } = canvas.store.get();
  expect(graph.nodes.map(({ id }) => id)).toEqual(["endpoint:e00001", "trigger:t00004", "workflow:w00028"]);
  const window = { viewport: canvas.viewport(), frame };
  expect(
    graph.nodes.every((node) => isInWindow(boxOf(node, positions) ?? { x: 0, y: 0, width: 0, height: 0 }, window)),
  ).toBe(true);
  canvas.read({});
  expect(canvas.viewport()).toEqual({ x: 30, y: -900, zoom: 0.9 });
  expect(canvas.store.get().graph.collapsed.size).toBe(model.sources.length);
});

it("only the edges of the hovered and the opened node light up", () => {
  const { store, read } = openCanvas();
  expect(store.get().lit.size).toBe(0);
  store.hover("endpoint:e00001");
  expect([...store.get().lit].every((id) => id.startsWith("endpoint:e00001>"))).toBe(true);
  read({ node: "workflow:w00000" });
  expect([...store.get().lit].some((id) => id.endsWith(">workflow:w00000"))).toBe(true);
  store.hover(null);
  expect([...store.get().lit].every((id) => id.endsWith(">workflow:w00000"))).toBe(true);
});

it("a canvas that was a list in between fits its new window, or is where the reader moved it", () => {
  const canvas = openCanvas();
  const first = canvas.viewport();
  const narrow = { width: 700, height: 900 };
  canvas.attach(narrow);
  const fitted = canvas.viewport();
  expect(fitted).not.toEqual(first);
  expect(fitted).toEqual(firstView(boundsIn(canvas.store), narrow));
  const moved = { x: -40, y: -300, zoom: 0.8 };
  canvas.moveByHand(moved);
  canvas.attach(frame);
  expect(canvas.viewport()).toEqual(moved);
});

it("a node that the user dragged keeps its position, until the layout is restored", () => {
  const { store } = openCanvas();
  const before = store.get().positions.get("endpoint:e00002");
  store.drag("endpoint:e00002", { x: 7, y: 9 }, true);
  expect(openCanvas().store.get().positions.get("endpoint:e00002")).toEqual({ x: 7, y: 9 });
  store.tidy();
  expect(store.get().positions.get("endpoint:e00002")).toEqual(before);
});

it("a node is in the window after every layout, filter, fold and link, from any viewport", () => {
  const endpoint = fc.constantFrom(...model.sources.map(({ id }) => id));
  const action = fc.oneof(
    fc.record({
      q: fc.constantFrom("", "t0000", "t00004", "w0001"),
      endpoint: fc.constantFrom(null, "e00003", "e00030"),
      node: fc.constantFrom(null, "trigger:t00117", "workflow:w00009", "endpoint:e00000", "trigger:gone"),
    }),
    fc.record({ toggle: endpoint }),
    fc.record({ foldAll: fc.boolean() }),
    fc.constant({ tidy: true }),
    fc.record({ width: fc.integer({ min: 300, max: 2_000 }) }),
  );
  const viewport = fc.record({
    x: fc.integer({ min: -9_000, max: 9_000 }),
    y: fc.integer({ min: -9_000, max: 9_000 }),
    zoom: fc.double({ min: 0.08, max: 2, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(viewport, action), { minLength: 1, maxLength: 5 }), (actions) => {
      const canvas = openCanvas();
      const { store } = canvas;
      let size = frame;
      for (const [moved, one] of actions) {
        canvas.moveByHand(moved);
        if ("q" in one) canvas.read(one);
        else if ("toggle" in one) store.toggle(one.toggle);
        else if ("foldAll" in one) store.foldAll(one.foldAll);
        else if ("tidy" in one) store.tidy();
        else store.resize((size = { ...frame, ...one }));
        const { graph, positions } = store.get();
        const isSome = graph.nodes.some((node) => {
          const box = boxOf(node, positions);
          return box !== null && isInWindow(box, { viewport: canvas.viewport(), frame: size });
        });
        expect(isSome || graph.nodes.length === 0).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});
