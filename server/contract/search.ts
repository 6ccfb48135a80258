export const entryKinds = [
  "endpoint",
  "trigger",
  "workflow",
  "agent",
  "tool",
  "run",
  "delivery",
  "page",
  "look",
  "action",
] as const;

export type EntryKind = (typeof entryKinds)[number];

/** One search result: a link to a page. */
export interface SearchEntry {
  /** Unique and stable. */
  id: string;
  kind: EntryKind;
  label: string;
  /** Secondary text next to the label. */
  note: string;
  href: string;
}

export interface EntryGroup {
  name: string;
  entries: readonly SearchEntry[];
}

export const searchActions = ["send", "run", "switch"] as const;

/** `send` a test event to a trigger, `run` a target, `switch`: disable or enable a trigger. */
export type SearchAction = (typeof searchActions)[number];

/** What a search finds. `actions`: what can be done with it. */
export interface SearchResults {
  groups: EntryGroup[];
  actions: SearchEntry[];
}
