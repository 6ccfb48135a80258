import type { Layout } from "../graph/visible-graph.ts";

/** The state of a project's canvas in the browser. Blocked or full storage causes no error; the state is then lost. */
export interface CanvasStorage {
  layout(key: string): Layout | null;
  /** The newest layout of the same shape, for any graph. */
  lastLayout(shape: string): Layout | null;
  keepLayout(of: { key: string; shape: string }, layout: Layout): void;
  forgetLayouts(): void;
  moved(): Layout;
  keepMoved(moved: Layout): void;
  /** `null`: never chosen. */
  collapsed(): ReadonlySet<string> | null;
  keepCollapsed(collapsed: ReadonlySet<string>): void;
  /** The last viewport with this filter. */
  viewport(filter: string): StoredViewport | null;
  keepViewport(view: StoredViewport): void;
}

/** The methods used of the browser's `Storage`. */
export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The transform of the canvas plane. */
export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

interface StoredViewport {
  filter: string;
  /** The opened node. */
  node: string | null;
  viewport: Viewport;
}

type StoredPosition = [id: string, x: number, y: number];

interface StoredLayout {
  key: string;
  shape: string;
  places: StoredPosition[];
}

/** Maximum number of stored layouts, newest first: one per recent set of collapsed endpoints. */
const maxLayouts = 6;
/** Maximum nodes of a stored layout. Larger layouts are fast to recompute. */
const maxStoredNodes = 1_500;

/** Layouts, moved nodes and collapsed endpoints are in `persistent`; the viewport of the tab is in `session`. */
export function createCanvasStorage(options: {
  project: string;
  persistent: TextStorage | null;
  session: TextStorage | null;
}): CanvasStorage {
  const { project, persistent, session } = options;
  const name = (item: string) => `signalbox.canvas.${item}:${project}`;
  const layouts = () => read(persistent, name("layouts"), isListOf(isStoredLayout)) ?? [];
  return {
    layout: (key) => toLayout(layouts().find((one) => one.key === key)?.places ?? null),
    lastLayout: (shape) => toLayout(layouts().find((one) => one.shape === shape)?.places ?? null),
    keepLayout({ key, shape }, layout) {
      if (layout.size > maxStoredNodes) return;
      const others = layouts().filter((one) => one.key !== key);
      write(persistent, name("layouts"), [{ key, shape, places: fromLayout(layout) }, ...others].slice(0, maxLayouts));
    },
    forgetLayouts: () => write(persistent, name("layouts"), null),
    moved: () => toLayout(read(persistent, name("moved"), isListOf(isStoredPosition))) ?? new Map(),
    keepMoved: (moved) => write(persistent, name("moved"), moved.size > 0 ? fromLayout(moved) : null),
    collapsed() {
      const ids = read(persistent, name("collapsed"), isListOf(isString));
      return ids && new Set(ids);
    },
    keepCollapsed: (collapsed) => write(persistent, name("collapsed"), [...collapsed]),
    viewport(filter) {
      const stored = read(session, name("viewport"), isStoredViewport);
      return stored?.filter === filter ? stored : null;
    },
    keepViewport: (view) => write(session, name("viewport"), view),
  };
}

function fromLayout(layout: Layout): StoredPosition[] {
  return [...layout].map(([id, { x, y }]) => [id, x, y]);
}

function toLayout(places: StoredPosition[] | null): Layout | null {
  return places && new Map(places.map(([id, x, y]) => [id, { x, y }]));
}

/** Stored values are validated, because another version may have written them. Not by Zod, which probes for `eval`. */
type Check<Value> = (value: unknown) => value is Value;

function read<Value>(storage: TextStorage | null, name: string, isValue: Check<Value>): Value | null {
  try {
    const value: unknown = JSON.parse(storage?.getItem(name) ?? "null");
    return isValue(value) ? value : null;
  } catch {
    return null;
  }
}

const isString: Check<string> = (value) => typeof value === "string";
const isNumber: Check<number> = (value): value is number => Number.isFinite(value);
const isStoredPosition: Check<StoredPosition> = (value): value is StoredPosition =>
  Array.isArray(value) && value.length === 3 && isString(value[0]) && isNumber(value[1]) && isNumber(value[2]);

function isViewport(value: unknown): value is Viewport {
  return (
    isObject(value) && isNumber(value["x"]) && isNumber(value["y"]) && isNumber(value["zoom"]) && value["zoom"] > 0
  );
}

function isStoredViewport(value: unknown): value is StoredViewport {
  return (
    isObject(value) &&
    isString(value["filter"]) &&
    (value["node"] === null || isString(value["node"])) &&
    isViewport(value["viewport"])
  );
}

function isStoredLayout(value: unknown): value is StoredLayout {
  return (
    isObject(value) && isString(value["key"]) && isString(value["shape"]) && isListOf(isStoredPosition)(value["places"])
  );
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
    // Storage is full or blocked: the value applies to this page only.
  }
}
