import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fillTemplate, parsePromptTemplate } from "./prompt-template.ts";

const fill = (template: string, value: unknown) => fillTemplate(parsePromptTemplate(template), value);
const textOf = (template: string, value: unknown) =>
  fill(template, value)
    .map(({ text }) => text)
    .join("");

describe("a template", () => {
  test("inserts values of the payload by their paths", () => {
    expect(
      fill("New ticket from {{ customer.email }}: {{subject}}", { customer: { email: "a@b.c" }, subject: "Help" }),
    ).toEqual([
      { text: "New ticket from ", path: null },
      { text: "a@b.c", path: "customer.email" },
      { text: ": ", path: null },
      { text: "Help", path: "subject" },
    ]);
  });

  test.each([
    ["what is not there is empty", "[{{ a.b.c }}]", {}, "[]"],
    ["null is empty", "[{{ a }}]", { a: null }, "[]"],
    [
      "numbers and booleans are as they are written",
      "{{ a }} {{ b }} {{ c }}",
      { a: 0, b: false, c: -1.5 },
      "0 false -1.5",
    ],
    ["objects and lists are JSON", "{{ a }}", { a: { b: [1, "x"] } }, '{"b":[1,"x"]}'],
    ["lists have places", "{{ a.1.b }}", { a: [{}, { b: "x" }] }, "x"],
    ["lists and texts have no other fields", "[{{ a.length }}{{ b.length }}]", { a: [1], b: "abc" }, "[]"],
    [
      "nothing that every object has is there",
      "[{{ constructor }}{{ __proto__ }}{{ toString }}{{ a.constructor.name }}]",
      { a: {} },
      "[]",
    ],
    ["fields may bear such names themselves", "{{ constructor }}", { constructor: "x" }, "x"],
    ["\\{{ stands for itself", "\\{{ a }} {{ a }}", { a: "x" }, "{{ a }} x"],
  ])("%s", (_, template, value, text) => {
    expect(textOf(template, value)).toBe(text);
  });

  test("does not evaluate placeholders in the payload", () => {
    expect(textOf("{{ a }}", { a: "{{ b }} ${b} <%= b %> {{{b}}}", b: "secret" })).toBe(
      "{{ b }} ${b} <%= b %> {{{b}}}",
    );
  });

  test.each([
    "{{ }}",
    "{{ a.toUpperCase() }}",
    "{{ a | upper }}",
    "{{ #if a }}",
    "{{ a b }}",
    "{{ a..b }}",
    "{{ a[0] }}",
    "{{ open",
    "{{ '' }}",
  ])("is rejected with %s in it", (template) => {
    expect(parsePromptTemplate(`x ${template}`).faults).toHaveLength(1);
  });

  test("keeps every string without braces, and every value, unchanged", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }).filter((text) => !text.includes("{") && !text.includes("\\")),
        fc.string({ unit: "binary" }),
        (words, value) => {
          expect(fill(`${words}{{ v }}${words}`, { v: value }).filter(({ text }) => text !== "")).toEqual(
            [
              { text: words, path: null },
              { text: value, path: "v" },
              { text: words, path: null },
            ].filter(({ text }) => text !== ""),
          );
        },
      ),
    );
  });
});
