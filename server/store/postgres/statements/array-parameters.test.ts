import * as fc from "fast-check";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../testing/postgres-server.ts";
import { type ElementType, toArrayParameter } from "./array-parameters.ts";
import { connectionConfig } from "../connection/connect.ts";

let server: PostgresServer;
let client: Client;
beforeAll(async () => {
  server = await startPostgres();
  client = new Client(connectionConfig(await server.createDatabase("template1")));
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await server.stop();
});

const whole = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, 2 ** 31, -(2 ** 31), 2 ** 32, Number.MAX_SAFE_INTEGER),
);
const values: [ElementType, fc.Arbitrary<unknown>][] = [
  ["text", fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "NULL", '{"a\\', "\0", "\ud800", "\ufffe"))],
  ["bigint", whole],
  ["integer", fc.integer()],
  ["boolean", fc.boolean()],
  ["double precision", fc.double({ noNaN: true, noDefaultInfinity: true })],
  ["bytea", fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))],
];

it.each(values)("an array of %s arrives as it was sent, in its order", async (type, element) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(element)), async (sent) => {
      const { rows } = await client.query(`SELECT value FROM unnest($1::${type}[]) AS value`, [
        toArrayParameter(type, sent),
      ]);
      expect(rows.map(({ value }) => value)).toEqual(sent);
    }),
    { numRuns: 100 },
  );
});

it("a value of another type is rejected before it is sent", () => {
  expect(() => toArrayParameter("bigint", [1.5])).toThrow("A value of bigint was expected instead of number");
  expect(() => toArrayParameter("text", [1])).toThrow("A value of text was expected instead of number");
});
