import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readHead } from "./ingest-request.ts";

const headOf = (target: string, headers: string[] = []) =>
  readHead({ method: "POST", target, headers, readBody() {} }, 1_700_000_000_000);

test("the keys of any query are those that URLSearchParams finds, and their escapes are secrets, too", () => {
  const part = fc.constantFrom("token", "api_key", "tok%65n", "api%5Fkey", "a", "=", "&", "?", "+", "%20", "%zz", "é");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const query = parts.join("");
      const { keys, secrets } = headOf(`/triggers/a?${query}`);
      expect(keys).toEqual(
        [...new URLSearchParams(query)].flatMap(([name, value]) =>
          name === "token" || name === "api_key" ? [value] : [],
        ),
      );
      expect(secrets).toEqual(expect.arrayContaining(keys));
    }),
    { numRuns: 2_000 },
  );
  expect(headOf("/triggers/a?token=a%2Bb").secrets).toEqual(["a+b", "a%2Bb"]);
});

test("a repeated header has its values joined, and each of its keys counts", () => {
  const headers = [
    "X-A",
    "1",
    "Authorization",
    "Basic x",
    "x-a",
    "2",
    "authorization",
    "Bearer k1",
    "X-Api-Key",
    "k2, k3",
  ];
  const head = headOf("/triggers/a?token=k0", headers);
  expect(head.headers.get("x-a")).toBe("1, 2");
  expect(head.keys).toEqual(["k0", "k1", "k2", "k3"]);
});

const basic = (credentials: string) => Buffer.from(credentials).toString("base64");
const headOfBasic = (value: string) => headOf("/triggers/a", ["Authorization", value]);

test("the password in Basic credentials is a key, and its notation is a secret, too", () => {
  for (const scheme of ["Basic", "basic", "BASIC  "]) {
    const { keys, secrets } = headOfBasic(`${scheme} ${basic("hook:sbk_1:2")}`);
    expect([keys, secrets]).toEqual([["sbk_1:2"], ["sbk_1:2", basic("hook:sbk_1:2")]]);
  }
  expect(headOfBasic(`Basic ${basic("hook:")}`).keys).toEqual([""]);
  for (const [credentials, keys] of [
    ["Hook:k", ["k"]],
    [":sbk_1", ["sbk_1"]],
    ["proxy:k", ["k"]],
    ["sbk_1:", ["sbk_1", ""]],
    ["SBT_1:k", ["SBT_1", "k"]],
    ["hook", []],
  ] as const)
    expect(headOfBasic(`Basic ${basic(credentials)}`).keys).toEqual(keys);
  for (const other of ["", "!"]) expect(headOfBasic(`Basic ${other}`).keys).toEqual([]);
});

const keysOfHeader = (value: string) => headOf("/triggers/a", ["Authorization", value]).keys;

test("credentials that a proxy joined in one header all count", () => {
  expect(keysOfHeader(`Basic ${basic("hook:k1")}, Bearer k2`)).toEqual(["k1", "k2"]);
  expect(keysOfHeader(`Bearer k1,bearer k2 , Basic ${basic("hook:k3")}`)).toEqual(["k1", "k2", "k3"]);
  expect(keysOfHeader(`Basic ${basic("proxy:x")}, Bearer k2`)).toEqual(["x", "k2"]);
  expect(keysOfHeader('Digest username="a", realm="b", Bearer k2')).toEqual(["k2"]);
  for (const other of ["Token k", "k", "Negotiate k", "Bearerk", ""]) expect(keysOfHeader(other)).toEqual([]);
});
