import type { Connection } from "./file/open-connection.ts";

/** Numbers for names in rows; see the table `name`. New numbers are only assigned in a write transaction. */
export interface Names {
  /** Adds the name if it is new. */
  idOf(text: string): number;
  /** The same for a name in a rejected request, which can be any text. It is removed with the last delivery that has it. */
  looseIdOf(text: string): number;
  /** Returns `null` if no row can have the name. */
  find(text: string): number | null;
  textOf(id: number): string;
  /** Starts a transaction: names that the previous one added may have been rolled back. */
  begin(): void;
}

/** A number that no name has. */
export const noName = 0;

/** A project has few names. Endpoints in rejected requests can be many. */
const maxCached = 20_000;

interface NameRow {
  id: number;
  isKept: 0 | 1;
}

/**
 * Caches kept names. Other processes can add names, so a missing one is looked up. A name that this process adds is
 * cached only after a later transaction has read it: its own transaction can still be rolled back.
 */
export function createNames(connection: Connection): Names {
  const select = connection.prepare<[string], NameRow>("SELECT id, is_kept AS isKept FROM name WHERE text = ?");
  const selectText = connection.prepare<[number], string>("SELECT text FROM name WHERE id = ?").pluck();
  const insert = connection.prepare<[string, 0 | 1]>("INSERT INTO name (text, is_kept) VALUES (?, ?)");
  const keep = connection.prepare<[number]>("UPDATE name SET is_kept = 1 WHERE id = ?");
  const ids = new Map<string, number>();
  const texts = new Map<number, string>();
  /** Names that the current or the last transaction added. */
  const added = new Map<string, number>();
  let hasAdded = false;

  function add(text: string, isKept: 0 | 1): number {
    const id = Number(insert.run(text, isKept).lastInsertRowid);
    hasAdded = true;
    if (isKept === 1) added.set(text, id);
    return id;
  }

  function cacheId(text: string, id: number): number {
    if (ids.size >= maxCached) ids.clear();
    ids.set(text, id);
    return id;
  }

  return {
    idOf(text) {
      const known = ids.get(text) ?? added.get(text);
      if (known !== undefined) return known;
      const row = select.get(text);
      if (!row) return add(text, 1);
      if (row.isKept === 1) return cacheId(text, row.id);
      keep.run(row.id);
      added.set(text, row.id);
      return row.id;
    },
    looseIdOf: (text) => ids.get(text) ?? added.get(text) ?? select.get(text)?.id ?? add(text, 0),
    find: (text) => ids.get(text) ?? select.get(text)?.id ?? null,
    textOf(id) {
      const known = texts.get(id);
      if (known !== undefined) return known;
      const text = selectText.get(id);
      if (text === undefined) throw new Error(`The store has no name ${id}, which its rows refer to.`);
      // SQLite assigns a rolled back number again.
      if (connection.inTransaction && hasAdded) return text;
      if (texts.size >= maxCached) texts.clear();
      texts.set(id, text);
      return text;
    },
    begin() {
      if (added.size > 0) added.clear();
      hasAdded = false;
    },
  };
}
