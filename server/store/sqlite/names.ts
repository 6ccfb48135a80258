import type { Connection } from "./open-connection.ts";

/** Numbers of names, for rows; see the table `name`. Numbers are given inside a write transaction only. */
export interface Names {
  /** Adds the name if it is new. */
  idOf(text: string): number;
  /** The same for a name in a rejected request, which can be any text: it is removed with the last delivery that has it. */
  looseIdOf(text: string): number;
  /** `null`: no row can have it. */
  find(text: string): number | null;
  textOf(id: number): string;
  /** A transaction begins: what the one before it added may have been rolled back. */
  begin(): void;
}

/** The number of no name. */
export const noName = 0;

/** Of a project, names are few. Endpoints in rejected requests can be many. */
const maxRemembered = 20_000;

interface NameRow {
  id: number;
  isKept: 0 | 1;
}

/**
 * Remembers kept names in memory. Other processes may add names, so one that is not remembered is looked up. A name
 * that this process adds is remembered only once a later transaction has read it: its own may still be rolled back.
 */
export function createNames(connection: Connection): Names {
  const select = connection.prepare<[string], NameRow>("SELECT id, is_kept AS isKept FROM name WHERE text = ?");
  const selectText = connection.prepare<[number], string>("SELECT text FROM name WHERE id = ?").pluck();
  const insert = connection.prepare<[string, 0 | 1]>("INSERT INTO name (text, is_kept) VALUES (?, ?)");
  const keep = connection.prepare<[number]>("UPDATE name SET is_kept = 1 WHERE id = ?");
  const ids = new Map<string, number>();
  const texts = new Map<number, string>();
  /** By the transaction that runs or ran last. */
  const added = new Map<string, number>();
  let hasAdded = false;

  function add(text: string, isKept: 0 | 1): number {
    const id = Number(insert.run(text, isKept).lastInsertRowid);
    hasAdded = true;
    if (isKept === 1) added.set(text, id);
    return id;
  }

  function remember(text: string, id: number): number {
    if (ids.size >= maxRemembered) ids.clear();
    ids.set(text, id);
    return id;
  }

  return {
    idOf(text) {
      const known = ids.get(text) ?? added.get(text);
      if (known !== undefined) return known;
      const row = select.get(text);
      if (!row) return add(text, 1);
      if (row.isKept === 1) return remember(text, row.id);
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
      if (text === undefined) throw new Error(`The store has lost the name ${id}, which its rows refer to.`);
      // A number that is rolled back is given again.
      if (connection.inTransaction && hasAdded) return text;
      if (texts.size >= maxRemembered) texts.clear();
      texts.set(id, text);
      return text;
    },
    begin() {
      added.clear();
      hasAdded = false;
    },
  };
}
