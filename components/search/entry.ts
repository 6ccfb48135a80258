import { entryKinds, type SearchEntry, type SearchAction } from "../../server/contract/search.ts";
import { formatCount } from "../../server/shared/format.ts";

interface PageEntry {
  /** Lower-case words that find the page. */
  words: string;
  label: string;
  note: string;
  href: string;
  isForAdmins?: boolean;
}

const pages: readonly PageEntry[] = [
  {
    words: "canvas start home map triggers",
    label: "Canvas",
    note: "endpoints, triggers, workflows, agents",
    href: "/",
  },
  { words: "deliveries webhooks requests", label: "Deliveries", note: "received webhooks", href: "/deliveries" },
  { words: "runs executions", label: "Runs", note: "workflow and agent runs", href: "/runs" },
  { words: "failed runs errors", label: "Failed runs", note: "", href: "/runs?status=failed" },
  { words: "rejected deliveries errors", label: "Rejected deliveries", note: "", href: "/deliveries?outcome=rejected" },
  { words: "alerts problems notifications", label: "Alerts", note: "what needs attention", href: "/alerts" },
  { words: "settings account password sessions", label: "Account", note: "settings", href: "/settings" },
  ...[
    {
      words: "settings people invite users roles members",
      label: "People",
      note: "settings",
      href: "/settings/people",
    },
    {
      words: "settings keys api tokens create rotate revoke",
      label: "Keys and tokens",
      note: "settings",
      href: "/settings/keys",
    },
    { words: "settings builds versions roll back", label: "Builds", note: "settings", href: "/settings/builds" },
    { words: "settings audit log history", label: "Audit log", note: "settings", href: "/settings/audit" },
  ].map((page) => ({ ...page, isForAdmins: true })),
];

/** The pages of the app that match a text; all that are not settings for an empty text. */
export function pagesFor(text: string, isAdmin: boolean): SearchEntry[] {
  return pages
    .filter(({ words, isForAdmins, note }) =>
      text === "" ? note !== "settings" : (isAdmin || !isForAdmins) && hasWords(words, text),
    )
    .map(({ label, note, href }) => ({ id: `page:${href}`, kind: "page", label, note, href }));
}

/** Whether each word of the text begins one of the known words. */
export function hasWords(known: string, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => known.split(" ").some((one) => one.startsWith(word)));
}

const actions: Record<SearchAction, RegExp> = {
  send: /^(?:send|test)\s+/i,
  run: /^(?:run|start)\s+/i,
  switch: /^(?:switch|turn)\s+(?:on|off)\s+|^(?:disable|enable)\s+/i,
};

/** `run welcome` is the action `run` on what `welcome` finds. */
export function actionOf(text: string): { action: SearchAction | null; text: string } {
  for (const action of ["send", "run", "switch"] as const)
    if (actions[action].test(text)) return { action, text: text.replace(actions[action], "") };
  return { action: null, text };
}

/** The runs that wait for an approval, if there are any. Found by their words, and without a text. */
export function approvalsFor(text: string, count: number): SearchEntry[] {
  const label = "Runs that wait for approval";
  if (count === 0 || !label.toLowerCase().includes(text.toLowerCase())) return [];
  return [
    { id: "page:approvals", kind: "page", label, note: formatCount(count, "run"), href: "/runs?needsApproval=true" },
  ];
}

/** Links that search for a text in bodies and inputs. */
export function contentSearchesFor(text: string): SearchEntry[] {
  if (text === "") return [];
  return [
    {
      id: "look:deliveries",
      kind: "look",
      label: `Deliveries with “${text}” in the body`,
      note: "",
      href: `/deliveries?${new URLSearchParams({ text })}`,
    },
    {
      id: "look:runs",
      kind: "look",
      label: `Runs with “${text}” in the input`,
      note: "",
      href: `/runs?${new URLSearchParams({ text })}`,
    },
  ];
}

/** The search text for typed or pasted input. A URL, a path or a log line that contains an id is reduced to the id. */
export function searchTextOf(typed: string): string {
  const [id] = /\b(?:run|dlv)_[0-9a-z]{26}\b/i.exec(typed) ?? [];
  return (
    id ??
    typed
      .trim()
      .replace(/^["'`]+|["'`]+$/g, "")
      .replace(/^(?:POST\s+)?(?:https?:\/\/[^/\s]+)?\/triggers\/([^?\s]*).*$/, "$1")
      .slice(0, 200)
  );
}

/** The URL of an entry. On the canvas, opening a node keeps the current filters. */
export function hrefFrom(entry: Pick<SearchEntry, "href">, here: { path: string; query: string }): string {
  if (here.path !== "/" || !entry.href.startsWith("/?node=")) return entry.href;
  const query = new URLSearchParams(here.query);
  for (const name of ["tab", "from", "via", "ask"]) query.delete(name);
  for (const [name, value] of new URLSearchParams(entry.href.slice(2))) query.set(name, value);
  return `/?${query}`;
}

const storageKey = "signalbox.recent";
const maxEntries = 6;

/** The most recently opened entries, newest first. Stored values are validated. */
export function readRecent(): SearchEntry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? stored.flatMap(asEntry).slice(0, maxEntries) : [];
  } catch {
    return [];
  }
}

/** Stores an opened entry. */
export function rememberEntry(entry: SearchEntry): void {
  if (entry.kind === "page" || entry.kind === "look" || entry.kind === "action") return;
  try {
    localStorage.setItem(
      storageKey,
      JSON.stringify([entry, ...readRecent().filter((one) => one.id !== entry.id)].slice(0, maxEntries)),
    );
  } catch {
    // Storage may be blocked in private windows.
  }
}

function asEntry(value: unknown): SearchEntry[] {
  if (typeof value !== "object" || value === null) return [];
  const field = (name: string) => {
    const found: unknown = Reflect.get(value, name);
    return typeof found === "string" ? found : null;
  };
  const [id, label, note, href] = [field("id"), field("label"), field("note"), field("href")];
  const kind = entryKinds.find((known) => known === field("kind"));
  const isOurs = href !== null && /^\/(?!\/)/.test(href);
  return id !== null && label !== null && note !== null && kind && isOurs ? [{ id, kind, label, note, href }] : [];
}
