import type { Layout } from "./column-layout.ts";

/** What the browser keeps of a project's canvas. Where storage is forbidden or full, nothing is kept and nothing breaks. */
export interface CanvasStorage {
  layout(key: string): Layout | null;
  /** The newest of the same shape, of whatever graph. */
  lastLayout(shape: string): Layout | null;
  keepLayout(of: { key: string; shape: string }, layout: Layout): void;
  forgetLayouts(): void;
  moved(): Layout;
  keepMoved(moved: Layout): void;
  collapsed(): ReadonlySet<string>;
  keepCollapsed(collapsed: ReadonlySet<string>): void;
  /** Of the canvas with this filter by endpoint. */
  viewport(endpoint: string | null): KeptViewport | null;
  keepViewport(kept: KeptViewport): void;
}

/** Plain storage, as the browser's. */
export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Where the canvas is looked at: the transform of its plane. */
export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

interface KeptViewport {
  /** The filter by endpoint. */
  endpoint: string | null;
  /** What was open at the side. */
  node: string | null;
  viewport: Viewport;
}

type Place = [id: string, x: number, y: number];

interface KeptLayout {
  key: string;
  shape: string;
  places: Place[];
}

/** So many layouts are kept, the newest first: one for each set of collapsed endpoints that was looked at lately. */
const keptLayouts = 6;
/** Larger ones are quickly made anew. */
const largestLayout = 1_500;

/** Layouts, moved nodes and folded endpoints last (`lasting`); the viewport belongs to the tab (`passing`). */
export function createCanvasStorage(p: {
  project: string;
  lasting: TextStorage | null;
  passing: TextStorage | null;
}): CanvasStorage {
  const name = (what: string) => `signalbox.canvas.${what}:${p.project}`;
  const layouts = () => read(p.lasting, name("layouts"), isListOf(isKeptLayout)) ?? [];
  return {
    layout: (key) => toLayout(layouts().find((one) => one.key === key)?.places ?? null),
    lastLayout: (shape) => toLayout(layouts().find((one) => one.shape === shape)?.places ?? null),
    keepLayout({ key, shape }, layout) {
      if (layout.size > largestLayout) return;
      const others = layouts().filter((one) => one.key !== key);
      write(p.lasting, name("layouts"), [{ key, shape, places: fromLayout(layout) }, ...others].slice(0, keptLayouts));
    },
    forgetLayouts: () => write(p.lasting, name("layouts"), null),
    moved: () => toLayout(read(p.lasting, name("moved"), isListOf(isPlace))) ?? new Map(),
    keepMoved: (moved) => write(p.lasting, name("moved"), moved.size > 0 ? fromLayout(moved) : null),
    collapsed: () => new Set(read(p.lasting, name("collapsed"), isListOf(isText))),
    keepCollapsed: (collapsed) => write(p.lasting, name("collapsed"), collapsed.size > 0 ? [...collapsed] : null),
    viewport(endpoint) {
      const kept = read(p.passing, name("viewport"), isKeptViewport);
      return kept?.endpoint === endpoint ? kept : null;
    },
    keepViewport: (kept) => write(p.passing, name("viewport"), kept),
  };
}

function fromLayout(layout: Layout): Place[] {
  return [...layout].map(([id, { x, y }]) => [id, x, y]);
}

function toLayout(places: Place[] | null): Layout | null {
  return places && new Map(places.map(([id, x, y]) => [id, { x, y }]));
}

/**
 * What is stored may be of another version, or of anybody: it is looked at before it is used. (Zod probes for `eval`,
 * which pages forbid.)
 */
type Check<Value> = (value: unknown) => value is Value;

function read<Value>(storage: TextStorage | null, name: string, isValue: Check<Value>): Value | null {
  try {
    const value: unknown = JSON.parse(storage?.getItem(name) ?? "null");
    return isValue(value) ? value : null;
  } catch {
    return null;
  }
}

const isText: Check<string> = (value) => typeof value === "string";
const isNumber: Check<number> = (value): value is number => Number.isFinite(value);
const isPlace: Check<Place> = (value): value is Place =>
  Array.isArray(value) && value.length === 3 && isText(value[0]) && isNumber(value[1]) && isNumber(value[2]);

function isViewport(value: unknown): value is Viewport {
  return (
    isObject(value) && isNumber(value["x"]) && isNumber(value["y"]) && isNumber(value["zoom"]) && value["zoom"] > 0
  );
}

function isKeptViewport(value: unknown): value is KeptViewport {
  return (
    isObject(value) &&
    [value["endpoint"], value["node"]].every((name) => name === null || isText(name)) &&
    isViewport(value["viewport"])
  );
}

function isKeptLayout(value: unknown): value is KeptLayout {
  return isObject(value) && isText(value["key"]) && isText(value["shape"]) && isListOf(isPlace)(value["places"]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isListOf<Value>(isValue: Check<Value>): Check<Value[]> {
  return (value): value is Value[] => Array.isArray(value) && value.every((one) => isValue(one));
}

function write(storage: TextStorage | null, name: string, value: unknown): void {
  try {
    if (value === null) storage?.removeItem(name);
    else storage?.setItem(name, JSON.stringify(value));
  } catch {
    // Full or forbidden: it is kept for this page only.
  }
}
