import type { DeliverySummary } from "../contract/delivery.ts";
import type { ManifestAgent } from "../contract/project/manifest.ts";
import type { RunSummary } from "../contract/run.ts";
import type { Target } from "../contract/project/target.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { TrafficStore } from "../ports/store/traffic-store.ts";

/** A partial id. `kind` is the kind of its resource, if known. */
interface IdPart {
  kind: "run" | "delivery" | null;
  /** The beginning of the id with its prefix; `null` if only its end is known. */
  begin: string | null;
  /** The possible ending of the id. */
  end: string;
}

/** Crockford's alphabet of ULIDs. */
const ulidPart = /^[0-9A-HJKMNP-TV-Z]{1,26}$/;
/** Fewer characters would match ids by chance. */
const minChars = 4;

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

/**
 * Parses a pasted id: a complete id, its beginning, a short id as shown in the app (`run_…9ZR7M4`), or its last
 * characters, in upper or lower case. `null` if the text cannot be part of an id.
 */
export function readId(text: string): IdPart | null {
  const [, prefix, ellipsis, letters = ""] = /^(?:(run|dlv)_)?(…|\.{2,3})?(\w*)$/i.exec(text.trim()) ?? [];
  const end = letters.toUpperCase();
  if (!ulidPart.test(end)) return null;
  const kind = prefix === undefined ? null : prefix.toLowerCase() === "run" ? "run" : "delivery";
  const begin = prefix !== undefined && ellipsis === undefined ? `${prefix.toLowerCase()}_${end}` : null;
  return begin === null && end.length < minChars ? null : { kind, begin, end };
}

/** The rank of a name in a search: lower is better; `null` means no match. */
function rankOf(name: string, words: readonly string[]): number | null {
  const text = words.join(" ");
  if (name === text) return 0;
  if (name.startsWith(words.join("-"))) return 1;
  const parts = name.split(/[-/:]/);
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 2;
  return words.every((word) => name.includes(word)) ? 3 : null;
}

/**
 * The items whose name contains all words of a text, best first: exact name, prefix, prefixes of its parts, any
 * position.
 */
export function rankNames<Thing>(
  things: readonly Thing[],
  p: { text: string; nameOf: (thing: Thing) => string; limit: number },
): Thing[] {
  const words = p.text
    .toLowerCase()
    .split(/[\s]+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const ranked = things.flatMap((thing) => {
    const name = p.nameOf(thing).toLowerCase();
    const rank = rankOf(name, words);
    return rank === null ? [] : [{ thing, rank, name }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
  return ranked.slice(0, p.limit).map(({ thing }) => thing);
}
