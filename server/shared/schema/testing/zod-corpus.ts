import { z } from "zod";
import { z as z3 } from "zod/v3";
import { exportSchema } from "../../../../cli/build/schema/export.ts";
import type { JsonSchemaObject } from "../../../contract/json.ts";

interface Tree {
  name: string;
  children: Tree[];
}

const tree: z.ZodType<Tree> = z.object({
  name: z.string().min(1),
  get children() {
    return z.array(tree);
  },
});
const tree3: z3.ZodType<Tree> = z3.object({ name: z3.string(), children: z3.lazy(() => z3.array(tree3)) });
const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("invoice.paid"), amount: z.int().min(0) }),
  z.object({ type: z.literal("invoice.failed"), reason: z.string() }),
]);
const event3 = z3.discriminatedUnion("type", [
  z3.object({ type: z3.literal("a") }),
  z3.object({ type: z3.literal("b"), n: z3.number() }),
]);

/** One schema of every kind, by Zod 4: the schema, its description in a label, its description as a condition. */
export const zod4Corpus: [name: string, schema: z.ZodType, label: string, condition: string][] = [
  ["string", z.string(), "string", "is a string"],
  ["not empty", z.string().min(1), "string, not empty", "is not empty"],
  ["length", z.string().length(3), "string, exactly 3 characters", "has exactly 3 characters"],
  ["lengths", z.string().min(2).max(5), "string, 2 to 5 characters", "has 2 to 5 characters"],
  ["longest", z.string().max(20_000), "string, at most 20,000 characters", "has at most 20,000 characters"],
  ["startsWith", z.string().startsWith("ord_"), "string, starts with ord_", "starts with ord_"],
  ["endsWith", z.string().endsWith("@example.com"), "string, ends with @example.com", "ends with @example.com"],
  ["includes", z.string().includes("x.y"), "string, contains x.y", "contains x.y"],
  [
    "all three",
    z.string().startsWith("a").endsWith("!").includes("-"),
    "string, starts with a, ends with !, contains -",
    "starts with a and ends with ! and contains -",
  ],
  [
    "regex",
    z.string().regex(/^ord_[a-z0-9]{8}$/),
    "string, matches /^ord_[a-z0-9]{8}$/",
    "matches /^ord_[a-z0-9]{8}$/",
  ],
  ["regex of choices", z.string().regex(/^(a|b)$/), "string, is a or b", "is a or b"],
  [
    "long regex",
    z.string().regex(/^(?:[a-z]{2}-[0-9]{4}|[A-Z]{2}_[0-9]{8}|xx)+$/),
    "string, matches /^(?:[a-z]{2}-[0-9]{4}|[A-Z]{2}_[0-9]{8}…/",
    "matches /^(?:[a-z]{2}-[0-9]{4}|[A-Z]{2}_[0-9]{8}…/",
  ],
  ["lowercase", z.string().lowercase(), "lower-case string", "is a lower-case string"],
  ["uppercase", z.string().uppercase(), "upper-case string", "is an upper-case string"],
  ["email", z.email(), "email", "is an email"],
  ["email of a domain", z.email().endsWith("@a.com"), "email, ends with @a.com", "ends with @a.com and is an email"],
  ["url", z.url(), "URL", "is a URL"],
  ["uuid", z.uuid(), "UUID", "is a UUID"],
  ["guid", z.guid(), "UUID", "is a UUID"],
  ["date-time", z.iso.datetime({ offset: true }), "date and time", "is a date and time"],
  ["date", z.iso.date(), "date", "is a date"],
  ["time", z.iso.time(), "time", "is a time"],
  ["duration", z.iso.duration(), "duration", "is a duration"],
  ["ipv4", z.ipv4(), "IPv4 address", "is an IPv4 address"],
  ["ipv6", z.ipv6(), "IPv6 address", "is an IPv6 address"],
  ["cidrv4", z.cidrv4(), "IPv4 range", "is an IPv4 range"],
  ["cidrv6", z.cidrv6(), "IPv6 range", "is an IPv6 range"],
  ["mac", z.mac(), "MAC address", "is a MAC address"],
  ["hostname", z.hostname(), "hostname", "is a hostname"],
  ["base64", z.base64(), "base64 string", "is a base64 string"],
  ["base64url", z.base64url(), "base64url string", "is a base64url string"],
  ["hex", z.hex(), "hexadecimal string", "is a hexadecimal string"],
  ["hash", z.hash("sha256"), "SHA-256 hash in hex", "is a SHA-256 hash in hex"],
  ["jwt", z.jwt(), "JWT", "is a JWT"],
  ["ulid", z.ulid(), "ULID", "is a ULID"],
  ["nanoid", z.nanoid(), "nanoid", "is a nanoid"],
  ["cuid", z.cuid(), "CUID", "is a CUID"],
  ["cuid2", z.cuid2(), "CUID2", "is a CUID2"],
  ["xid", z.xid(), "XID", "is an XID"],
  ["ksuid", z.ksuid(), "KSUID", "is a KSUID"],
  ["e164", z.e164(), "phone number", "is a phone number"],
  ["emoji", z.emoji(), "emoji", "is an emoji"],
  ["number", z.number(), "number", "is a number"],
  ["integer", z.int(), "integer", "is an integer"],
  ["int32", z.int32(), "integer", "is an integer"],
  ["float32", z.float32(), "number", "is a number"],
  ["bounds", z.number().min(10_000).max(2_000_000), "number ≥ 10,000, ≤ 2,000,000", "≥ 10,000 and ≤ 2,000,000"],
  ["exclusive bounds", z.number().gt(0).lt(1.5), "number > 0, < 1.5", "> 0 and < 1.5"],
  ["one number", z.int().min(5).max(5), "integer = 5", "= 5"],
  ["multiple", z.int().multipleOf(5), "integer, a multiple of 5", "is a multiple of 5"],
  ["boolean", z.boolean(), "boolean", "is true or false"],
  ["null", z.null(), "null", "is null"],
  ["literal", z.literal("invoice.paid"), "is invoice.paid", "is invoice.paid"],
  ["literal number", z.literal(7), "is 7", "is 7"],
  ["literal text like a number", z.literal("7"), `is "7"`, `is "7"`],
  ["literals", z.literal(["a", 1, true, null]), "one of a, 1, true or null", "is a, 1 or true or null"],
  ["enum", z.enum(["eur", "usd", "gbp"]), "one of eur, usd, gbp", "is eur, usd or gbp"],
  [
    "long enum",
    z.enum(["a", "b", "c", "d", "e", "f", "g", "h"]),
    "one of a, b, c, d, e, f and 2 more",
    "is one of a, b, c, d and 4 more",
  ],
  ["nullable", z.string().nullable(), "string or null", "is a string or null"],
  ["nullable enum", z.enum(["a", "b"]).nullable(), "one of a, b or null", "is a or b or null"],
  ["union", z.union([z.string(), z.number()]), "string or number", "is a string or number"],
  [
    "union of shapes",
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    "one of 2 shapes",
    "is one of 2 shapes",
  ],
  ["list", z.array(z.string()), "array of strings", "is an array of strings"],
  ["list with sizes", z.array(z.int()).min(1).max(3), "array of integers, 1 to 3 items", "has 1 to 3 items"],
  ["list of objects", z.array(z.object({ a: z.string() })), "array of objects", "is an array of objects"],
  ["list of lists", z.array(z.array(z.number())), "array of array of numbers", "is an array of array of numbers"],
  ["tuple", z.tuple([z.string(), z.number()]), "tuple of string, number", "is a tuple of string, number"],
  ["record", z.record(z.string(), z.number()), "record of numbers", "is a record of numbers"],
  ["anything", z.any(), "anything", "is present"],
  ["any JSON", z.json(), "one of 5 shapes or null", "is one of 5 shapes or null"],
  ["nothing", z.never(), "nothing", "must be absent"],
  ["pipe", z.string().pipe(z.email()), "email", "is an email"],
  ["described", z.string().describe("A name"), "string", "is a string"],
];

/** Schemas that Zod 3 exports differently. */
export const zod3Corpus: [name: string, schema: z3.ZodTypeAny, label: string, condition: string][] = [
  ["startsWith", z3.string().startsWith("ord_"), "string, starts with ord_", "starts with ord_"],
  ["endsWith", z3.string().endsWith("@example.com"), "string, ends with @example.com", "ends with @example.com"],
  ["includes", z3.string().includes("x.y"), "string, contains x.y", "contains x.y"],
  [
    "email of a domain",
    z3.string().email().endsWith("@a.com"),
    "email, ends with @a.com",
    "ends with @a.com and is an email",
  ],
  ["email", z3.string().email(), "email", "is an email"],
  ["url", z3.string().url(), "URL", "is a URL"],
  ["uuid", z3.string().uuid(), "UUID", "is a UUID"],
  ["date-time", z3.string().datetime(), "date and time", "is a date and time"],
  ["ip", z3.string().ip(), "IPv4 address or IPv6 address", "is IPv4 address or IPv6 address"],
  ["jwt", z3.string().jwt(), "JWT", "is a JWT"],
  ["base64", z3.string().base64(), "base64 string", "is a base64 string"],
  ["ulid", z3.string().ulid(), "ULID", "is a ULID"],
  ["nanoid", z3.string().nanoid(), "nanoid", "is a nanoid"],
  ["cuid", z3.string().cuid(), "CUID", "is a CUID"],
  ["cuid2", z3.string().cuid2(), "CUID2", "is a CUID2"],
  ["emoji", z3.string().emoji(), "emoji", "is an emoji"],
  ["integer", z3.number().int().min(3), "integer ≥ 3", "≥ 3"],
  ["literal", z3.literal("a"), "is a", "is a"],
  ["native enum", z3.nativeEnum({ A: "a", B: 2 }), "one of a, 2", "is a or 2"],
  ["union of literals", z3.union([z3.literal("a"), z3.literal("b")]), "one of a, b", "is a or b"],
  ["nullable enum", z3.enum(["a", "b"]).nullable(), "one of a, b or null", "is a or b or null"],
  ["list", z3.array(z3.string()).nonempty(), "array of strings, not empty", "is not empty"],
  ["tuple", z3.tuple([z3.string(), z3.number()]), "tuple of string, number", "is a tuple of string, number"],
  ["record", z3.record(z3.number()), "record of numbers", "is a record of numbers"],
];

/** Schemas of nested bodies, and recursive ones. */
export const bodies: Record<string, JsonSchemaObject> = {
  tree: exportSchema(tree),
  treeOfZod3: exportSchema(tree3),
  event: exportSchema(event),
  eventOfZod3: exportSchema(event3),
  both: exportSchema(z3.object({ a: z3.string() }).and(z3.object({ b: z3.literal("x") }))),
  nested: exportSchema(
    z.object({
      customer: z.object({ email: z.email(), tags: z.array(z.enum(["new", "old"])) }),
      items: z.array(z.object({ sku: z.string().min(1), price: z.number().positive() })).min(1),
      prices: z.record(z.string(), z.int().min(1)),
    }),
  ),
};
