import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openFeedCursor } from "./feed-cursors.ts";

it("a cursor is kept for each service and each set of endpoints, in any order", () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-cursors-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = "https://hooks.example.com";
  const sets = [[], ["orders"], ["returns", "orders"]];
  for (const [at, endpoints] of sets.entries()) {
    const cursor = openFeedCursor(folder, { url, endpoints });
    expect(cursor.read()).toBeNull();
    cursor.save(`${at}`);
    cursor.close();
  }
  const read = (endpoints: string[], from = url) => openFeedCursor(folder, { url: from, endpoints }).read();
  expect(sets.map((endpoints) => read(endpoints))).toEqual(["0", "1", "2"]);
  expect(read(["orders", "returns", "orders"])).toBe("2");
  expect(read(["returns"])).toBeNull();
  expect(read([], "https://other.example.com")).toBeNull();
});
