import { arrangeGraph, type ArrangedGraph } from "../../../server/triggers/arrange-graph.ts";
import { buildModel, type CanvasModel } from "../canvas-model.ts";

type Way = readonly [endpoint: string, slug: string, target: string | null, conditions?: number];

/**
 * A sample graph: endpoint → trigger → workflow. `null`: the trigger has no target. `lonely`: workflows without a
 * trigger.
 */
export function sampleGraph(ways: readonly Way[], lonely: readonly string[] = []): ArrangedGraph {
  const slugs = [...new Set([...ways.flatMap(([, , target]) => target ?? []), ...lonely])];
  return arrangeGraph(
    ways.map(([endpoint, slug, target, conditions = 1]) => ({
      attachmentId: target === null ? slug : `${slug}:${target}`,
      slug,
      source: { kind: "webhook", endpoint, methods: ["POST"] },
      target: target === null ? null : { kind: "workflow", slug: target },
      file: `triggers/${slug}.ts`,
      hasTransform: false,
      hasFilter: true,
      fieldParts: [],
      conditions: Array.from({ length: conditions }, (_, index) => ({ path: `field${index}`, words: `is ${slug}` })),
      prompt: null,
      key: null,
    })),
    slugs.map((slug) => ({ kind: "workflow", slug, file: `workflows/${slug}.ts`, agent: null })),
  );
}

export function sampleModel(ways: readonly Way[], lonely?: readonly string[]): CanvasModel {
  return buildModel(sampleGraph(ways, lonely));
}

function name(index: number): string {
  return String(index).padStart(5, "0");
}

/** A graph with this many triggers, three per endpoint and two per target. */
export function largeModel(triggers: number): CanvasModel {
  return sampleModel(
    Array.from(
      { length: triggers },
      (_, index) =>
        [
          `e${name(Math.floor(index / 3))}`,
          `t${name(index)}`,
          `w${name((index * 7) % Math.ceil(triggers / 2))}`,
          1 + (index % 3),
        ] as const,
    ),
  );
}
