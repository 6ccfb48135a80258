import { expect, it } from "vitest";
import { createCanvasStorage, type TextStorage } from "./canvas-storage.ts";

function memory(): TextStorage & { texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, text) => void texts.set(name, text),
    removeItem: (name) => void texts.delete(name),
  };
}

const open = (persistent: TextStorage | null = memory()) =>
  createCanvasStorage({ project: "mine", persistent, session: memory() });
const layout = new Map([["trigger:paid", { x: 1, y: 2 }]]);

it("a layout is found by its key, and as the last of its shape", () => {
  const storage = open();
  storage.keepLayout({ key: "k", shape: "s" }, layout);
  expect(storage.layout("k")).toEqual(layout);
  expect(storage.lastLayout("s")).toEqual(layout);
  expect(storage.layout("other")).toBeNull();
  storage.forgetLayouts();
  expect(storage.layout("k")).toBeNull();
});

it("only the newest layouts are stored", () => {
  const storage = open();
  for (let at = 0; at < 20; at++) storage.keepLayout({ key: `k${at}`, shape: "s" }, layout);
  expect(storage.layout("k19")).toEqual(layout);
  expect(storage.layout("k1")).toBeNull();
});

it("moved nodes, collapsed endpoints and the viewport are stored per project", () => {
  const persistent = memory();
  const storage = open(persistent);
  storage.keepMoved(layout);
  storage.keepCollapsed(new Set(["endpoint:billing"]));
  storage.keepViewport({ filter: "", node: "trigger:paid", viewport: { x: 1, y: 2, zoom: 0.5 } });
  expect([storage.moved(), storage.collapsed(), storage.viewport("")]).toEqual([
    layout,
    new Set(["endpoint:billing"]),
    { filter: "", node: "trigger:paid", viewport: { x: 1, y: 2, zoom: 0.5 } },
  ]);
  storage.keepCollapsed(new Set());
  expect(storage.collapsed()).toEqual(new Set());
  expect(createCanvasStorage({ project: "other", persistent, session: null }).moved()).toEqual(new Map());
});

it.each(["", "{", "null", "[[1,2,3]]", `[["id","x",2]]`, `{"x":1}`, `[{"key":"k"}]`])(
  "unreadable values (%s) are ignored",
  (text) => {
    const broken: TextStorage = { getItem: () => text, setItem: () => {}, removeItem: () => {} };
    const storage = createCanvasStorage({ project: "mine", persistent: broken, session: broken });
    expect([storage.layout("k"), storage.moved(), storage.collapsed(), storage.viewport("")]).toEqual([
      null,
      new Map(),
      null,
      null,
    ]);
  },
);

it("the viewport belongs to one filter", () => {
  const storage = open();
  const view = { filter: "billing||", node: null, viewport: { x: 1, y: 2, zoom: 0.5 } };
  storage.keepViewport(view);
  expect([storage.viewport("billing||"), storage.viewport(""), storage.viewport("signup||")]).toEqual([
    view,
    null,
    null,
  ]);
});

it("full or blocked storage causes no error", () => {
  const full: TextStorage = {
    getItem: () => {
      throw new Error("forbidden");
    },
    setItem: () => {
      throw new Error("full");
    },
    removeItem: () => {},
  };
  const storage = open(full);
  storage.keepMoved(layout);
  expect(storage.moved()).toEqual(new Map());
});
