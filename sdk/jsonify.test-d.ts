import { z } from "zod";
import type { Jsonify } from "signalbox/workflow";
import type { CompileError } from "./schema.ts";
import { type Equal, expectTrue } from "./testing/exact-type.ts";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

// JSON stays as it is, down to its own names.
expectTrue<Equal<Jsonify<string>, string>>();
expectTrue<Equal<Jsonify<"a" | 1 | true | null>, "a" | 1 | true | null>>();
expectTrue<Equal<Jsonify<string & { brand: "id" }>, string & { brand: "id" }>>();
expectTrue<
  Equal<Jsonify<{ a: number; b?: string; c: (string | null)[] }>, { a: number; b?: string; c: (string | null)[] }>
>();
expectTrue<Equal<Jsonify<Record<string, number>>, Record<string, number>>>();
expectTrue<Equal<Jsonify<[string, number]>, [string, number]>>();
expectTrue<Equal<Jsonify<Json>, Json>>();
expectTrue<Equal<Jsonify<unknown>, unknown>>();
// oxlint-disable-next-line typescript/no-explicit-any -- what `response.json()` returns in the types of browsers
expectTrue<Equal<Jsonify<any>, any>>();
expectTrue<Equal<Jsonify<never>, never>>();

// The stored value can be changed.
expectTrue<Equal<Jsonify<{ readonly a: readonly string[] }>, { a: string[] }>>();

// What has a JSON form of its own has its type.
expectTrue<Equal<Jsonify<Date>, string>>();
expectTrue<
  Equal<Jsonify<{ at: Date | null; url: URL; log: Date[] }>, { at: string | null; url: string; log: string[] }>
>();
expectTrue<Equal<Jsonify<{ toJSON(): { at: Date } }>, { at: string }>>();
expectTrue<Equal<Jsonify<Buffer>, { type: "Buffer"; data: number[] }>>();

// What JSON leaves out is absent, and `null` outside of an object.
expectTrue<Equal<Jsonify<undefined>, null>>();
expectTrue<Equal<Jsonify<void>, null>>();
expectTrue<Equal<Jsonify<() => void>, null>>();
expectTrue<Equal<Jsonify<(string | undefined)[]>, (string | null)[]>>();
expectTrue<Equal<Jsonify<{ a: string | undefined; b: 1 }>, { b: 1; a?: string }>>();
expectTrue<Equal<Jsonify<{ a: undefined }>, { a?: undefined }>>();
expectTrue<Equal<Jsonify<{ a: 1; run(): void; of: symbol; [Symbol.iterator]: string }>, { a: 1 }>>();
expectTrue<Equal<Jsonify<Record<string, string | undefined>>, Record<string, string>>>();
class Order {
  readonly id = "a";
  readonly at = new Date();
  private secret = 1;
  ship(): number {
    return this.secret;
  }
}
expectTrue<Equal<Jsonify<Order>, { id: "a"; at: string }>>();

// Unions are converted member by member, and can still be narrowed.
type Result = { ok: true; at: Date } | { ok: false; why: Error["message"]; at?: undefined };
expectTrue<Equal<Jsonify<Result>, { ok: true; at: string } | { ok: false; why: string; at?: undefined }>>();

// Recursive types.
interface Tree {
  at: Date;
  children: readonly Tree[];
  parent: Tree | null;
}
declare const tree: Jsonify<Tree>;
expectTrue<Equal<(typeof tree.children)[number]["at"], string>>();
expectTrue<Equal<NonNullable<typeof tree.parent>["at"], string>>();

// What Zod parses.
const order = z.object({ id: z.string(), note: z.string().optional(), at: z.coerce.date() });
expectTrue<Equal<Jsonify<z.output<typeof order>>, { id: string; at: string; note?: string | undefined }>>();

// What cannot be stored says so.
expectTrue<Equal<Jsonify<bigint>, CompileError<"JSON has no bigint: return String(value)">>>();
expectTrue<
  Equal<
    Jsonify<{ of: Map<string, Date> }>,
    { of: CompileError<"A Map is stored as {}: return Object.fromEntries(map)"> }
  >
>();
expectTrue<Equal<Jsonify<ReadonlySet<string>>, CompileError<"A Set is stored as {}: return [...set]">>>();
expectTrue<Equal<Jsonify<Promise<1>[]>, CompileError<"A promise is stored as {}: await it">[]>>();
expectTrue<Equal<Jsonify<Uint8Array>, CompileError<"Bytes have no form in JSON: return them in base64">>>();
expectTrue<Equal<Jsonify<RegExp>, CompileError<"A RegExp is stored as {}: return its source">>>();
expectTrue<
  Equal<
    Jsonify<Response>,
    CompileError<"A Response, a Request or a Blob is stored as {}: return what you need of it, such as await response.json()">
  >
>();

// An object that only resembles an error is stored like any other.
expectTrue<Equal<Jsonify<{ name: string; message: string }>, { name: string; message: string }>>();
