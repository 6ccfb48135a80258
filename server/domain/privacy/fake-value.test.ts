import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { exportSchema } from "../../../cli/build/schema/export.ts";
import { createFaker } from "./fake-value.ts";

const faker = createFaker(Buffer.from("the key of one installation"));

const samples: [name: string, schema: z.ZodType, value: string | number][] = [
  ["an email", z.email(), "ada.lovelace@hopper.dev"],
  ["a UUID", z.uuid(), "0198c1d2-7a30-7c3e-9d5b-4f1f0e6a2b11"],
  ["a URL", z.url(), "https://bank.example/accounts/12?x=1"],
  ["a date", z.iso.date(), "1990-02-17"],
  ["a time", z.iso.datetime({ offset: true }), "2026-01-31T23:59:59.123+02:00"],
  ["a time of day", z.iso.time(), "23:59:59"],
  ["an IPv4 address", z.ipv4(), "10.20.30.40"],
  ["an IPv6 address", z.ipv6(), "fe80::1ff:fe23:4567:890a"],
  ["a ULID", z.ulid(), "01KGA4B7S0E1X8Z3QK5V9M2T6N"],
  ["a phone number", z.e164(), "+4915112345678"],
  ["a card number", z.string().regex(/^\d{16}$/), "4242424242424242"],
  ["an id with a prefix", z.string().startsWith("cus_"), "cus_NffrFeUfNV2Hib"],
  ["a social security number", z.string().regex(/^\d{3}-\d{2}-\d{4}$/), "123-45-6789"],
  ["a name", z.string().min(3).max(12), "Ada Lovelace"],
  ["hexadecimal digits", z.hex(), "deadbeef0042"],
  ["base64", z.base64(), "c2VjcmV0"],
  ["an amount", z.number(), 1234.56],
  ["an integer", z.int(), 900_719_925],
  ["an age", z.int().min(18).max(120), 47],
  ["a multiple", z.number().multipleOf(5).min(10), 4200],
  ["a negative number", z.number().negative(), -42],
];

const fake = (schema: z.ZodType, value: string | number) => {
  const schemas = [exportSchema(schema)];
  return typeof value === "number" ? faker.number(value, schemas) : faker.text(value, schemas);
};

describe("a fake", () => {
  it.each(samples)("of %s has its format", (_, schema, value) => {
    expect(schema.safeParse(value).success).toBe(true);
    const found = fake(schema, value);
    expect(found).not.toBe(value);
    expect(schema.safeParse(found).success).toBe(true);
  });

  it("is equal for equal values, differs for others, and depends on the key", () => {
    expect(faker.text("Ada Lovelace")).toBe(faker.text("Ada Lovelace"));
    expect(faker.text("Ada Lovelace")).not.toBe(faker.text("Ada Lovelacf"));
    expect(createFaker(Buffer.from("another key")).text("Ada Lovelace")).not.toBe(faker.text("Ada Lovelace"));
    expect(faker.number(4711)).toBe(faker.number(4711));
  });

  it("of every text has its length in characters, its digits and its letters, and none of its words", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9 .,_-]{4,40}$/), (text) => {
        const found = faker.text(text);
        fc.pre(!/[@:]|^\d{4}-\d\d-\d\d|^\d+(?:\.\d+){3}$/.test(text));
        expect(found).toHaveLength(text.length);
        expect(found.replaceAll(/\d/g, "0").replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A")).toBe(
          text.replaceAll(/\d/g, "0").replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A"),
        );
      }),
    );
  });

  it("of a million characters takes no time", () => {
    const text = "é1a ".repeat(250_000);
    expect(faker.text(text)).toHaveLength(text.length);
  });
});
