import { describe, expect, it } from "vitest";
import { z } from "zod";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import {
  exampleFields,
  exampleTexts,
  type FieldSchemas,
  givenFields,
  parseHeaderLines,
  printHeaderLines,
  receivedFields,
  receivedTexts,
  withText,
} from "./field-texts.ts";

const schemasOf = ({ headers, query }: { headers?: z.ZodType; query?: z.ZodType }): FieldSchemas => ({
  headers: headers ? exportSchema(headers) : null,
  query: query ? exportSchema(query) : null,
});

const schemas = schemasOf({
  headers: z.object({ "x-event": z.literal("paid"), "x-tag": z.array(z.string()).optional() }),
  query: z.object({
    topic: z.enum(["refunds", "returns"]),
    shop: z.string().optional(),
    tag: z.array(z.string()).optional(),
  }),
});
const event = { "x-event": "paid" };

/** The query that the form sends when it starts from a delivery with this query. */
const repeat = (query: string) =>
  givenFields(schemas, receivedTexts(schemas, { ...event, "signalbox-query": query })).query;

describe("the fields of a form", () => {
  it("start with examples that the schemas accept", () => {
    expect(exampleFields(schemas)).toEqual({ headers: event, query: "topic=refunds" });
    expect(exampleFields(schemasOf({}))).toEqual({ headers: {}, query: "" });
    expect(exampleFields(undefined)).toEqual({ headers: {}, query: "" });
  });

  it.each([
    ["topic=returns&shop=berlin", "topic=returns&shop=berlin"],
    ["a=1&shop=S%C3%A3o+Paulo&topic=returns&z=2", "topic=returns&shop=S%C3%A3o+Paulo"],
    ["topic=returns&tag=a&tag=b%26c", "topic=returns&tag=a&tag=b%26c"],
    ["topic=returns&tag=a", "topic=returns&tag=a"],
    ["topic=returns&shop=", "topic=returns&shop="],
    ["topic=returns&shop", "topic=returns&shop="],
    ["topic=returns&tag", "topic=returns&tag="],
    ["topic=other", "topic=other"],
    ["shop=%FF", "shop=%25FF"],
    ["topic=a%0Ab", "topic=a%0Ab"],
    ["", ""],
  ])("of a delivery with the query %j send %j", (recorded, sent) => {
    expect(repeat(recorded)).toBe(sent);
  });

  it("of a delivery without a query send none, and repeat the values of its headers", () => {
    const recorded = {
      ...event,
      "x-tag": "a, b",
      "signalbox-repeated-headers": '{"x-tag":["a","b"],"x-event":["paid","x"]}',
    };
    expect(givenFields(schemas, receivedTexts(schemas, recorded))).toEqual({
      headers: { ...event, "x-tag": ["a", "b"] },
      query: "",
    });
  });

  it("are not sent if a person empties them", () => {
    const texts = exampleTexts(schemas);
    const typed = withText(withText(texts.query, "shop", "berlin"), "tag", "a\n\nb\n");
    expect(givenFields(schemas, { ...texts, query: typed }).query).toBe("topic=refunds&shop=berlin&tag=a&tag=b");
    const emptied = withText(withText(withText(typed, "topic", ""), "tag", ""), "shop", "");
    expect(givenFields(schemas, { headers: withText(texts.headers, "x-event", ""), query: emptied })).toEqual({
      headers: {},
      query: "",
    });
  });
});

it("the request of a delivery has its headers on lines, and its query, but none of the service's own headers", () => {
  const { headers, query } = receivedFields({
    ...event,
    "x-tag": "a, b",
    "signalbox-repeated-headers": '{"x-tag":["a","b"]}',
    "signalbox-query": "topic=returns&shop=%FF",
    "signalbox-sent-from": "form",
  });
  expect(query).toBe("topic=returns&shop=%FF");
  const lines = printHeaderLines(headers);
  expect(lines).toBe("x-event: paid\nx-tag: a\nx-tag: b");
  expect(parseHeaderLines(lines)).toEqual({ "x-event": ["paid"], "x-tag": ["a", "b"] });
});
