import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { adaptSchema } from "../schema/adapt-schema.ts";
import { checkDraft } from "../check/check-draft.ts";
import { shownOption, switchOption } from "../draft/new-draft.ts";
import { type Draft, draftToJson, memberOf, withMember } from "../draft/draft.ts";
import { parseDraft } from "../draft/draft-text.ts";
import { createFormValidator, DraftForm } from "./draft-form.tsx";

const read = (text: string): Draft => parseDraft(text).draft ?? { is: "null" };

/** The first render of the form, and its own changes. */
function draw(schema: JsonSchemaObject, draft: Draft): { html: string; changes: Draft[] } {
  const changes: Draft[] = [];
  const props = {
    schema,
    draft,
    issues: checkDraft(schema, schema, draft),
    hintAt: () => null,
    formId: "form",
    onDraft: (changed: Draft) => void changes.push(changed),
    onLeave: () => {},
    onSubmit: () => {},
  };
  return { html: renderToStaticMarkup(createElement(DraftForm, props)), changes };
}

describe("a union", () => {
  const schema = exportSchema(
    z.union([z.object({ a: z.string().optional() }), z.object({ b: z.string().optional() }), z.string()]),
  );
  const node = adaptSchema(schema, schema);
  const options = node.kind === "union" ? node.options : [];

  test("shows the chosen alternative, even if the value matches another one", () => {
    const chosen = switchOption({ options, draft: read("{}"), to: 1, root: schema });
    expect(shownOption(options, chosen, schema)).toBe(1);
    expect(shownOption(options, read("{}"), schema)).toBe(0);
  });

  test("restores the values of each alternative", () => {
    const first = read('{"a": "one"}');
    const second = switchOption({ options, draft: first, to: 2, root: schema });
    const third = switchOption({
      options,
      draft: { ...read('"two"'), ...(second.choice && { choice: second.choice }) },
      to: 1,
      root: schema,
    });
    expect(draftToJson(switchOption({ options, draft: third, to: 2, root: schema }))).toBe("two");
    expect(draftToJson(switchOption({ options, draft: third, to: 0, root: schema }))).toEqual({ a: "one" });
  });

  test("keeps common fields on a switch, except the discriminator", () => {
    const tagged = exportSchema(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), id: z.string() }),
        z.object({ type: z.literal("b"), id: z.string() }),
      ]),
    );
    const taggedNode = adaptSchema(tagged, tagged);
    const switched = switchOption({
      options: taggedNode.kind === "union" ? taggedNode.options : [],
      draft: read('{"type": "a", "id": "x"}'),
      to: 1,
      root: tagged,
    });
    expect(draftToJson(switched)).toEqual({ type: "b", id: "x" });
  });

  test("is rendered with the names of its alternatives, never with numbers", () => {
    const { html } = draw(exportSchema(z.object({ of: z.union([z.string(), z.number()]) })), read('{"of": 5}'));
    expect(html).toContain("text");
    expect(html).not.toMatch(/Option \d/i);
  });
});

describe("a schema of draft 2020-12", () => {
  test("is rendered with its tuples, references and records", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        place: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false, minItems: 2 },
      },
      properties: {
        at: { $ref: "#/$defs/place" },
        labels: { type: "object", additionalProperties: { type: "string" }, propertyNames: { pattern: "^[a-z]+$" } },
      },
      required: ["at", "labels"],
    };
    const { html } = draw(schema, read('{"at": [1, "x"], "labels": {"team": "red", "No": "x"}}'));
    for (const text of ['value="1"', "Must be a number", "/at/1", 'value="team"', "must match ^[a-z]+$"])
      expect(html).toContain(text);
  });
});

describe("an existing value", () => {
  const schema = exportSchema(
    z.object({
      retries: z.int().default(3),
      list: z.array(z.string()).default(["a", "b"]),
      of: z.object({ a: z.string().default("x") }).default({ a: "y" }),
      kind: z.literal("k").default("k"),
    }),
  );

  test.each(["{}", '{"retries": 0, "list": [], "of": {}, "kind": "other"}', '{"list": ["z"], "of": {"a": ""}}'])(
    "is not written over by defaults: %s",
    (text) => {
      const { changes } = draw(schema, read(text));
      expect(changes).toEqual([]);
    },
  );

  test("is rendered unchanged, with any names", () => {
    const odd = '{"constructor": "1", "__proto__": "2", "a.b": "3", "": "4"}';
    const { html, changes } = draw(exportSchema(z.record(z.string(), z.string())), read(odd));
    expect(changes).toEqual([]);
    for (const text of ['value="constructor"', 'value="__proto__"', 'value="a.b"', 'value="4"'])
      expect(html).toContain(text);
  });
});

describe("a submit", () => {
  test.each([
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-07/schema#",
    "urn:nonsense",
    "",
  ])("is validated with the schema, for any $schema: %s", ($schema) => {
    const schema = { ...exportSchema(z.object({ amount: z.int().min(0) })), $schema };
    const validator = createFormValidator(schema);
    const errorsOf = (text: string) =>
      validator.validateFormData(read(text), {}).errors.map(({ property, message }) => [property, message]);
    expect(errorsOf('{"amount": -5}')).toEqual([["/amount", "Must be 0 or more"]]);
    expect(errorsOf("{}")).toEqual([["/amount", "Required"]]);
    expect(errorsOf('{"amount": 5}')).toEqual([]);
  });
});

describe("a recursive schema", () => {
  test("is rendered as deep as the value, and collapsed from the fourth level on", () => {
    const Tree = z.object({
      name: z.string(),
      get child() {
        return Tree.optional();
      },
    });
    const schema = exportSchema(Tree);
    let draft = read('{"name": "leaf"}');
    for (let depth = 0; depth < 8; depth++) draft = withMember(read('{"name": "node"}'), "child", draft);
    const { html } = draw(schema, draft);
    expect(html).toContain("Expand child.child.child.child");
    expect(html).not.toContain("child.child.child.child.child");
    expect(memberOf(draft, "child")).toBeDefined();
  });
});
