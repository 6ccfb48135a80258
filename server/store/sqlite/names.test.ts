import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { migrationsFolder } from "../../paths.ts";
import { systemClock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import { migrate } from "./file/migrate.ts";
import { createNames, type Names } from "./names.ts";
import { type Connection, openConnection } from "./file/open-connection.ts";

let folder: string;
let connections: Connection[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-names-"));
  const file = join(folder, "store.db");
  connections = [await openConnection(file), await openConnection(file)];
  migrate(first(), { folder: migrationsFolder("sqlite"), clock: systemClock, logger: silentLogger });
});
afterEach(() => {
  for (const connection of connections) connection.close();
  rmSync(folder, { recursive: true, force: true });
});

const first = () => connections[0] as Connection;
const second = () => connections[1] as Connection;

function write<T>(connection: Connection, names: Names, operation: () => T): T {
  return connection.transaction(() => {
    names.begin();
    return operation();
  })();
}

it("a rolled back number is never used, neither for its name nor for another one", () => {
  const names = createNames(first());
  const undone = () =>
    write(first(), names, () => {
      names.idOf("kept");
      names.looseIdOf("loose");
      expect(names.textOf(names.idOf("kept"))).toBe("kept");
      throw new Error("undone");
    });
  expect(undone).toThrow("undone");
  expect([names.find("kept"), names.find("loose")]).toEqual([null, null]);
  // The file assigns the same numbers to other names.
  const ids = write(first(), names, () => ["a", "b", "kept"].map((name) => names.idOf(name)));
  expect(ids.map((id) => names.textOf(id))).toEqual(["a", "b", "kept"]);
  expect(write(first(), names, () => ["a", "b", "kept"].map((name) => names.idOf(name)))).toEqual(ids);
});

it("a name that another process added is found", () => {
  const [mine, theirs] = [createNames(first()), createNames(second())];
  const id = write(second(), theirs, () => theirs.idOf("signup"));
  expect(mine.find("signup")).toBe(id);
  expect(write(first(), mine, () => mine.idOf("signup"))).toBe(id);
  expect(mine.textOf(id)).toBe("signup");
});

it("a name in a rejected request is kept after the project uses it, and its number is not reused", () => {
  const [mine, theirs] = [createNames(first()), createNames(second())];
  const [invented, used] = write(first(), mine, () => [mine.looseIdOf("invented"), mine.looseIdOf("used")]);
  expect(write(first(), mine, () => mine.idOf("used"))).toBe(used);
  second().exec("DELETE FROM name WHERE is_kept = 0");
  expect([theirs.find("invented"), theirs.find("used")]).toEqual([null, used]);
  const again = write(second(), theirs, () => theirs.looseIdOf("invented"));
  expect(again).toBeGreaterThan(Math.max(invented ?? 0, used ?? 0));
  expect(write(first(), mine, () => mine.looseIdOf("invented"))).toBe(again);
});
