import type { DeliverySummary } from "../contract/delivery.ts";
import type { ManifestAgent } from "../contract/manifest.ts";
import type { RunSummary } from "../contract/run.ts";
import type { Target } from "../contract/target.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { TrafficStore } from "../ports/store.ts";
import { rankNames } from "./rank-names.ts";
import { readId } from "./read-id.ts";

export interface Found {
  endpoints: { endpoint: string; path: string }[];
  triggers: { slug: string; endpoint: string }[];
  targets: Target[];
  /** Tools by their names, with the agent that may call them. */
  tools: { name: string; agent: string }[];
  runs: RunSummary[];
  deliveries: DeliverySummary[];
}

/** Of each kind. */
const limit = 8;

/** Searches names in the project and ids of runs and deliveries. Returns a few of each, best first. */
export async function searchAll(
  deps: { store: Pick<TrafficStore, "searchIds">; project: ProjectReader },
  text: string,
): Promise<Found> {
  const { manifest, byEndpoint } = deps.project.current();
  const bySlug = new Map(manifest.triggers.map(({ slug, endpoint }) => [slug, { slug, endpoint }]));
  const targets = [
    ...manifest.workflows.map(({ slug }): Target => ({ kind: "workflow", slug })),
    ...manifest.agents.map(({ slug }): Target => ({ kind: "agent", slug })),
  ];
  const path = text
    .trim()
    .replace(/^POST\s+/i, "")
    .replace(/^\/?triggers\//, "");
  const { runs, deliveries } = await searchIds(deps, text);
  return {
    endpoints: rankNames([...byEndpoint.keys()], { text: path, nameOf: (endpoint) => endpoint, limit }).map(
      (endpoint) => ({ endpoint, path: `/triggers/${endpoint}` }),
    ),
    triggers: rankNames([...bySlug.values()], { text, nameOf: ({ slug }) => slug, limit }),
    targets: rankNames(targets, { text, nameOf: ({ slug }) => slug, limit }),
    tools: rankNames(manifest.agents.flatMap(toolsOf), { text, nameOf: ({ name }) => name, limit }),
    runs,
    deliveries,
  };
}

function toolsOf({ slug, tools }: Pick<ManifestAgent, "slug" | "tools">): { name: string; agent: string }[] {
  return tools.map(({ name }) => ({ name, agent: slug }));
}

async function searchIds(
  { store }: { store: Pick<TrafficStore, "searchIds"> },
  text: string,
): Promise<Pick<Found, "runs" | "deliveries">> {
  const id = readId(text);
  if (id === null) return { runs: [], deliveries: [] };
  const found = await store.searchIds({ text: id.begin ?? id.end, limit });
  // `run_9ZR7M4`, where the app had shown `run_…9ZR7M4`.
  const isEnd = id.begin !== null && found.runs.length + found.deliveries.length === 0;
  const { runs, deliveries } = isEnd ? await store.searchIds({ text: id.end, limit }) : found;
  return { runs: id.kind === "delivery" ? [] : runs, deliveries: id.kind === "run" ? [] : deliveries };
}
