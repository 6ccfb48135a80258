import { createCanvasStorage, type TextStorage, type Viewport } from "./canvas-storage.ts";
import { type Arranged, arrange } from "./layout/arrange.ts";
import { type Chunk, chunksFor, chunksOf } from "./live/activity-request.ts";
import { createTraffic, type Traffic } from "../graph/evidence.ts";
import type { Activity, CanvasModel } from "../graph/canvas-model.ts";
import { edgesOf, type Layout, type Point, type VisibleGraph, visibleGraph } from "../graph/visible-graph.ts";
import { createView, type View } from "./plane/view.ts";
import { filterKey, findShownIds } from "./toolbar/matching-nodes.ts";
import type { CanvasUrl } from "./toolbar/use-canvas-url.ts";

/** What the page knows: the project, and the state in the URL with the function that opens a node. */
export interface CanvasInputs {
  model: CanvasModel;
  url: CanvasUrl;
  open: (id: string | null) => void;
}

export interface CanvasState extends CanvasInputs {
  traffic: Traffic;
  /** The nodes that the filters leave; `null`: no filter. */
  shownIds: ReadonlySet<string> | null;
  graph: VisibleGraph;
  /** The graph with its layout on the plane; `null`: not laid out yet. */
  arranged: Arranged | null;
  /** The positions of its nodes: from the layout, or from dragging. */
  positions: Layout;
  hovered: string | null;
  /** Ids of the edges at the hovered and the opened node. */
  lit: ReadonlySet<string>;
  /** The requests for the traffic of visible nodes. */
  chunks: readonly Chunk[];
}

/** The state of the canvas outside React. Components select what they need with `useCanvas`. */
export interface CanvasStore {
  view: View;
  get(): CanvasState;
  subscribe(listener: () => void): () => void;
  /** Takes over the inputs after each change of the page. */
  read(inputs: CanvasInputs): void;
  feed(activity: Activity): void;
  /** Collapses or expands a source, which keeps its position on the screen. */
  toggle(sourceId: string): void;
  foldAll(isFolded: boolean): void;
  hover(id: string | null): void;
  /** The size of the canvas, px. */
  resize(frame: { width: number; height: number }): void;
  /** Moves a node; `isEnd`: the user released it. */
  drag(id: string, to: Point, isEnd: boolean): void;
  /** Restores the layout and all dragged nodes. */
  tidy(): void;
  /** The viewport has stopped moving. */
  keepViewport(viewport: Viewport): void;
  /** Reports the visible nodes, so that only their traffic is loaded. */
  see(ids: readonly string[]): void;
}

export function createCanvasStore(project: string, inputs: CanvasInputs): CanvasStore {
  const storage = createCanvasStorage({ project, ...browserStorage() });
  const view = createView(storage);
  const traffic = createTraffic();
  const listeners = new Set<() => void>();
  // With a filter, folds are temporary. They start as the number of matching triggers requires.
  const folds: Record<"all" | "filtered", ReadonlySet<string> | null> = { all: storage.collapsed(), filtered: null };
  let moved = storage.moved();
  let round = 0;
  let seen: readonly string[] = [];

  const derive = ({ model, url }: CanvasInputs): Pick<CanvasState, "shownIds" | "graph"> => {
    const which = filterKey(url) === "" ? "all" : "filtered";
    const shownIds = findShownIds(model, url, traffic);
    const graph = visibleGraph(model, { shownIds, folds: folds[which] });
    const opened = model.byId.get(url.node ?? "");
    const home = opened?.kind === "trigger" ? opened.sourceId : "";
    if (!graph.collapsed.has(home)) return { shownIds, graph };
    // Opening a trigger by a link or by search expands its source permanently.
    folds[which] = without(graph.collapsed, home);
    return { shownIds, graph: visibleGraph(model, { shownIds, folds: folds[which] }) };
  };
  let state: CanvasState = {
    ...inputs,
    traffic,
    ...derive(inputs),
    arranged: null,
    positions: new Map(),
    hovered: null,
    lit: new Set(),
    chunks: [],
  };

  const set = (change: Partial<CanvasState>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  /** The state that follows from the scene and the pointer. */
  const setScene = (change: Partial<CanvasState>) => {
    const { arranged, hovered, url } = { ...state, ...change };
    const ids = new Set([hovered, url.node].filter((id) => id !== null));
    const lit = arranged ? edgesOf(arranged.graph, ids) : state.lit;
    set({ ...change, lit });
  };
  const setArranged = (arranged: Arranged) => {
    const positions = positionsOf(arranged, moved);
    setScene({ arranged, positions });
    const { url } = state;
    const occasion = `${round} ${arranged.shape}`;
    view.update({ filter: filterKey(url), occasion, nodes: arranged.graph.nodes, positions, opened: url.node });
    see(view.visibleIds());
  };
  const see = (ids: readonly string[]) => {
    seen = ids;
    const all = chunksOf(state.model);
    // A status filter needs the traffic of the whole project.
    const isAll = all.length <= 1 || state.url.status !== "all";
    const chunks = isAll ? all : chunksFor(state.model, ids).flatMap((index) => all[index] ?? []);
    if (JSON.stringify(chunks) !== JSON.stringify(state.chunks)) set({ chunks });
  };
  /** Derives the graph and its layout again. `isForced`: not the previous layout. */
  const refresh = (change: Partial<CanvasInputs> = {}, isForced = false) => {
    const next = { ...state, ...change };
    const derived = derive(next);
    setScene({ ...change, ...derived });
    const filter = filterKey(next.url);
    setArranged(
      arrange({
        graph: derived.graph,
        shape: `${filter}|${[...derived.graph.collapsed].toSorted().join(" ")}`,
        before: isForced ? null : state.arranged,
        storage: filter === "" ? storage : null,
      }),
    );
    see(seen);
  };
  const fold = (next: ReadonlySet<string>) => {
    if (filterKey(state.url) !== "") folds.filtered = next;
    else storage.keepCollapsed((folds.all = next));
    refresh();
  };

  return {
    view,
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    read(next) {
      if (filterKey(next.url) !== filterKey(state.url)) folds.filtered = null;
      refresh(next);
    },
    feed(activity) {
      if (!traffic.feed(activity)) return;
      if (state.url.status === "all") set({});
      else refresh();
    },
    toggle(id) {
      view.stay(id);
      const { collapsed } = state.graph;
      fold(collapsed.has(id) ? without(collapsed, id) : new Set([...collapsed, id]));
    },
    foldAll(isFolded) {
      view.start();
      fold(new Set(isFolded ? state.graph.foldable : []));
    },
    hover(hovered) {
      if (hovered !== state.hovered) setScene({ hovered });
    },
    resize(frame) {
      view.resize(frame);
      see(view.visibleIds());
    },
    drag(id, to, isEnd) {
      moved = new Map(moved).set(id, to);
      if (isEnd) storage.keepMoved(moved);
      if (state.arranged) set({ positions: positionsOf(state.arranged, moved) });
    },
    tidy() {
      storage.forgetLayouts();
      moved = new Map();
      storage.keepMoved(moved);
      round += 1;
      view.start();
      refresh({}, true);
    },
    keepViewport(viewport) {
      storage.keepViewport({ filter: filterKey(state.url), node: state.url.node, viewport });
      see(view.visibleIds());
    },
    see,
  };
}

/** The position of each node: from the layout, or where the user dragged it. */
function positionsOf({ graph, layout }: Arranged, moved: Layout): Layout {
  return new Map(graph.nodes.map(({ id }) => [id, moved.get(id) ?? layout.get(id) ?? { x: 0, y: 0 }]));
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((one) => one !== id));
}

/** `null`: storage is blocked, or this is the server. */
function browserStorage(): { persistent: TextStorage | null; session: TextStorage | null } {
  try {
    return { persistent: localStorage, session: sessionStorage };
  } catch {
    return { persistent: null, session: null };
  }
}
