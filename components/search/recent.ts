import { type Entry, entryKinds } from "./entry.ts";

const storageKey = "signalbox.recent";
const maxEntries = 6;

/** The most recently opened entries, newest first. Stored values are validated. */
export function readRecent(): Entry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? stored.flatMap(asEntry).slice(0, maxEntries) : [];
  } catch {
    return [];
  }
}

/** Stores an opened entry. */
export function rememberEntry(entry: Entry): void {
  if (entry.kind === "page" || entry.kind === "look") return;
  try {
    localStorage.setItem(
      storageKey,
      JSON.stringify([entry, ...readRecent().filter((one) => one.id !== entry.id)].slice(0, maxEntries)),
    );
  } catch {
    // Storage may be blocked in private windows.
  }
}

function asEntry(value: unknown): Entry[] {
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
