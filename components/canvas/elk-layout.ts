import ELK, { type ELK as Elk } from "elkjs/lib/elk-api.js";
import type { Layout } from "./model/column-layout.ts";
import { fromElkGraph, toElkGraph } from "./model/elk-graph.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";

let elk: Elk | null = null;

/**
 * ELK's layout, made in a worker of its own (a script of this service: the pages' Content-Security-Policy has
 * `worker-src 'self'` for it).
 */
export async function layoutByElk(graph: VisibleGraph): Promise<Layout | null> {
  elk ??= new ELK({ workerFactory: () => new Worker(new URL("elkjs/lib/elk-worker.min.js", import.meta.url)) });
  return fromElkGraph(await elk.layout(toElkGraph(graph)), graph);
}
