import { expect, test } from "vitest";
import { rankNames } from "./rank-names.ts";

const rank = (text: string, names: string[], limit = 10) => rankNames(names, { text, nameOf: (name) => name, limit });

test("the name itself comes first, then what begins so, then parts that begin so, then what has it inside", () => {
  expect(rank("paid", ["unpaid", "invoice-paid", "paid-late", "paid"])).toEqual([
    "paid",
    "paid-late",
    "invoice-paid",
    "unpaid",
  ]);
});

test("every word must be there, in any order", () => {
  expect(rank("late inv", ["invoice-late", "invoice-paid", "late-fee"])).toEqual(["invoice-late"]);
});

test("of equals the shorter comes first, and no more than asked for", () => {
  expect(rank("a", ["a-long-name", "a-b", "a-c"], 2)).toEqual(["a-b", "a-c"]);
});
