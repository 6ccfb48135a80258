import type { Target } from "../../../server/contract/project/target.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import type { CanvasModel } from "../../graph/canvas-model.ts";

/** The time window of the canvas. */
export type CanvasWindow = Window;

export const defaultWindow: CanvasWindow = "1h";

export const windows: readonly { value: CanvasWindow; label: string }[] = [
  { value: "15m", label: "Last 15 minutes" },
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
];

/** The time window in a URL, or the default. */
export function readWindow(text: string | string[] | undefined): CanvasWindow {
  return windows.find(({ value }) => value === text)?.value ?? defaultWindow;
}

/** The content of one request. Chunks are fixed for the whole project, so that panning reuses earlier requests. */
export interface Chunk {
  endpoints: string[];
  targets: Target[];
}

const chunkSize = 80;

export function chunksOf({ sources, targets }: CanvasModel): Chunk[] {
  const count = Math.ceil(Math.max(sources.length, targets.length) / chunkSize);
  return Array.from({ length: count }, (_, index) => {
    const part = <Node>(nodes: readonly Node[]) => nodes.slice(index * chunkSize, (index + 1) * chunkSize);
    return {
      endpoints: part(sources).map(({ source }) => source.endpoint),
      targets: part(targets).map(({ target }) => ({ kind: target.kind, slug: target.slug })),
    };
  });
}

/** The indexes of the chunks that contain these nodes. A trigger belongs to the chunk of its source. */
export function chunksFor(model: CanvasModel, ids: Iterable<string>): number[] {
  const wanted = new Set<number>();
  const positions = positionsOf(model);
  for (const id of ids) {
    const node = model.byId.get(id);
    const position = positions.get(node?.kind === "trigger" ? node.sourceId : id);
    if (position !== undefined) wanted.add(Math.floor(position / chunkSize));
  }
  return [...wanted].toSorted((one, other) => one - other);
}

const known = new WeakMap<CanvasModel, Map<string, number>>();

function positionsOf(model: CanvasModel): Map<string, number> {
  const positions =
    known.get(model) ??
    new Map(
      [...model.sources, ...model.targets].map(({ id }, index) => [
        id,
        index < model.sources.length ? index : index - model.sources.length,
      ]),
    );
  known.set(model, positions);
  return positions;
}
