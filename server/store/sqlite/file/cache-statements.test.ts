import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { expect, it, vi } from "vitest";
import { cacheStatements } from "./cache-statements.ts";
import { openMemoryConnection } from "./open-connection.ts";

const note = sqliteTable("note", { id: integer("id").primaryKey(), text: text("text").notNull() });

function open() {
  const connection = openMemoryConnection();
  connection.exec("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  const prepare = vi.spyOn(connection, "prepare");
  return { connection, prepare, db: drizzle(cacheStatements(connection)) };
}

it("queries of the same form share one statement, with the parameters of each", () => {
  const { db, prepare } = open();
  for (let id = 1; id <= 100; id += 1)
    db.insert(note)
      .values({ id, text: `note ${id}` })
      .run();
  for (let id = 1; id <= 100; id += 1)
    expect(db.select().from(note).where(eq(note.id, id)).all()).toEqual([{ id, text: `note ${id}` }]);
  expect(prepare).toHaveBeenCalledTimes(2);
});

it("the same SQL can return objects and arrays in turn", () => {
  const { db } = open();
  db.insert(note).values({ id: 1, text: "one" }).run();
  const query = sql`SELECT id, text FROM note`;
  for (let turn = 0; turn < 3; turn += 1) {
    expect(db.all(query)).toEqual([{ id: 1, text: "one" }]);
    expect(db.values(query)).toEqual([[1, "one"]]);
    expect(db.get(query)).toEqual({ id: 1, text: "one" });
  }
});

it("keeps the statements that were used last, and prepares others again", () => {
  const { db, prepare } = open();
  const read = (column: number) => db.get<{ n: number }>(sql.raw(`SELECT ${column} AS n`)).n;
  for (let column = 0; column < 300; column += 1) expect(read(column)).toBe(column);
  prepare.mockClear();
  for (let column = 299; column >= 100; column -= 1) expect(read(column)).toBe(column);
  expect(prepare).not.toHaveBeenCalled();
  expect(read(0)).toBe(0);
  expect(prepare).toHaveBeenCalledTimes(1);
});

it("a statement that is wrong fails each time, and one stays usable after the table has changed", () => {
  const { connection, db } = open();
  for (let turn = 0; turn < 2; turn += 1) expect(() => db.all(sql`SELECT nothing FROM note`)).toThrow("nothing");
  db.insert(note).values({ id: 1, text: "one" }).run();
  expect(db.select().from(note).all()).toHaveLength(1);
  connection.exec("ALTER TABLE note ADD COLUMN more TEXT");
  expect(db.select().from(note).all()).toEqual([{ id: 1, text: "one" }]);
  expect(db.transaction((tx) => tx.select().from(note).all())).toHaveLength(1);
});
