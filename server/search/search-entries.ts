import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Target } from "../contract/project/target.ts";
import type { EntryGroup, SearchEntry, SearchResults, SearchAction } from "../contract/search.ts";
import { type Found, searchAll } from "./search-all.ts";

/** What a search finds, as links: nodes of the canvas, runs, deliveries, and the actions on them. */
export async function searchEntries(
  deps: Parameters<typeof searchAll>[0] & { store: { listDisabledTriggers(): Promise<DisabledTriggers> } },
  { text, action }: { text: string; action: SearchAction | null },
): Promise<SearchResults> {
  const [found, disabled] = await Promise.all([searchAll(deps, text), deps.store.listDisabledTriggers()]);
  return { groups: groupsOf(found), actions: actionsFor(found, action, disabled) };
}

/** The non-empty groups of results. */
export function groupsOf(found: Found): EntryGroup[] {
  const groups: EntryGroup[] = [
    { name: "Triggers", entries: found.triggers.map(triggerEntry) },
    { name: "Endpoints", entries: found.endpoints.map(({ endpoint, path }) => node("endpoint", endpoint, path)) },
    { name: "Workflows and agents", entries: found.targets.map(targetEntry) },
    {
      name: "Tools",
      entries: found.tools.map(({ name, agent }) => ({
        ...node("agent", agent, `tool of ${agent}`),
        id: `tool:${agent}:${name}`,
        kind: "tool",
        label: name,
      })),
    },
    {
      name: "Runs",
      entries: found.runs.map(({ id, target, status }) => ({
        id,
        kind: "run",
        label: id,
        note: `${target.slug}, ${status.replace("_", " ")}`,
        href: `/runs/${encodeURIComponent(id)}`,
      })),
    },
    {
      name: "Deliveries",
      entries: found.deliveries.map(({ id, endpoint, outcome }) => ({
        id,
        kind: "delivery",
        label: id,
        note: `to ${endpoint}, ${outcome}`,
        href: `/deliveries/${encodeURIComponent(id)}`,
      })),
    },
  ];
  return groups.filter((group) => group.entries.length > 0);
}

function triggerEntry({ slug, endpoint }: Found["triggers"][number]): SearchEntry {
  return node("trigger", slug, `on ${endpoint}`);
}

function targetEntry({ kind, slug }: Target): SearchEntry {
  return node(kind, slug, kind);
}

function node(kind: "trigger" | "endpoint" | Target["kind"], name: string, note: string): SearchEntry {
  const href = `/?${new URLSearchParams({ node: `${kind}:${name}` })}`;
  return { id: `${kind}:${name}`, kind, label: name, note, href };
}

/**
 * The actions for the results: with an action, that action for each of them; otherwise all actions for the best ones.
 * Each action opens the form or the question of its sheet.
 */
export function actionsFor(found: Found, action: SearchAction | null, disabled: DisabledTriggers): SearchEntry[] {
  const limit = action === null ? 1 : Infinity;
  const isAsked = (one: SearchAction) => action === null || action === one;
  const triggers = found.triggers.slice(0, limit);
  return [
    ...(isAsked("send") ? triggers : []).map((trigger) =>
      actionEntry(triggerEntry(trigger), `Send test event to ${trigger.slug}`, { tab: "test" }),
    ),
    ...(isAsked("run") ? found.targets.slice(0, limit) : []).map((target) =>
      actionEntry(targetEntry(target), `Run ${target.slug}`, { tab: "run" }),
    ),
    ...(isAsked("switch") ? triggers : []).map((trigger) =>
      actionEntry(triggerEntry(trigger), `${disabled.has(trigger.slug) ? "Enable" : "Disable"} ${trigger.slug}`, {
        ask: "switch",
      }),
    ),
  ];
}

function actionEntry(target: SearchEntry, label: string, part: Record<string, string>): SearchEntry {
  return {
    id: `action:${label}`,
    kind: "action",
    label,
    note: target.note,
    href: `${target.href}&${new URLSearchParams(part)}`,
  };
}
