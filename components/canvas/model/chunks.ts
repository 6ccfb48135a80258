import type { Target } from "../../../server/contract/target.ts";
import type { CanvasModel } from "./build-model.ts";

/**
 * What is asked for in one question. Questions are cut once for the whole project, so that panning asks again for what
 * it asked before.
 */
export interface Chunk {
  endpoints: string[];
  targets: Target[];
}

const chunkSize = 80;

export function chunksOf({ endpoints, targets }: CanvasModel): Chunk[] {
  const count = Math.ceil(Math.max(endpoints.length, targets.length) / chunkSize);
  return Array.from({ length: count }, (_, index) => {
    const part = <Node>(nodes: readonly Node[]) => nodes.slice(index * chunkSize, (index + 1) * chunkSize);
    return {
      endpoints: part(endpoints).map(({ endpoint }) => endpoint),
      targets: part(targets).map(({ target }) => ({ kind: target.kind, slug: target.slug })),
    };
  });
}

/** The numbers of the chunks that tell of these nodes. A trigger's numbers come with its endpoint's. */
export function chunksFor(model: CanvasModel, ids: Iterable<string>): number[] {
  const wanted = new Set<number>();
  const places = placesOf(model);
  for (const id of ids) {
    const node = model.byId.get(id);
    const place = places.get(node?.kind === "trigger" ? `endpoint:${node.endpoint}` : id);
    if (place !== undefined) wanted.add(Math.floor(place / chunkSize));
  }
  return [...wanted].toSorted((one, other) => one - other);
}

const known = new WeakMap<CanvasModel, Map<string, number>>();

function placesOf(model: CanvasModel): Map<string, number> {
  const places =
    known.get(model) ??
    new Map(
      [...model.endpoints, ...model.targets].map(({ id }, index) => [
        id,
        index < model.endpoints.length ? index : index - model.endpoints.length,
      ]),
    );
  known.set(model, places);
  return places;
}
