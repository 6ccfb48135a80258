import { expect, test } from "vitest";
import { nameOfPath } from "./path-names.ts";

test("a path is named as in code, and invisible characters in a name are escaped", () => {
  expect(nameOfPath(["data", "lines", 0, "user-id"])).toBe("data.lines[0].user-id");
  expect(nameOfPath(["", "a b", "\u202egnp.exe"])).toBe(String.raw`[""]["a b"]["\u202egnp.exe"]`);
});
