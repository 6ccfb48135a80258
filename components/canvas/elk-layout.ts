import ELK, { type ELK as Elk } from "elkjs/lib/elk-api.js";
import type { Layout } from "./model/column-layout.ts";
import { fromElkGraph, toElkGraph } from "./model/elk-graph.ts";
import type { VisibleGraph } from "./model/visible-graph.ts";

let elk: Elk | null = null;

/** Computes the ELK layout in a web worker. The pages' Content-Security-Policy allows it by `worker-src 'self'`. */
export async function layoutByElk(graph: VisibleGraph): Promise<Layout | null> {
  elk ??= new ELK({ workerFactory: () => new Worker(new URL("elkjs/lib/elk-worker.min.js", import.meta.url)) });
  return fromElkGraph(await elk.layout(toElkGraph(graph)), graph);
}
