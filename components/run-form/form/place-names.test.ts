import { expect, test } from "vitest";
import { nameOfPath } from "./place-names.ts";

test("a place is named as it would be written in code, and nothing that hides in a name turns the label around", () => {
  expect(nameOfPath(["data", "lines", 0, "user-id"])).toBe("data.lines[0].user-id");
  expect(nameOfPath(["", "a b", "\u202egnp.exe"])).toBe(String.raw`[""]["a b"]["\u202egnp.exe"]`);
});
