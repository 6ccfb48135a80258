import { describe, expect, it } from "vitest";
import { keysToCheck } from "../auth/keys/check-key.ts";
import { chooseFormat, onlyJson } from "../domain/requests/body-format.ts";
import { readEncodings } from "../domain/requests/content-encoding.ts";
import { findRemoteReason } from "../domain/requests/local-request.ts";
import { publicUrlOf } from "../domain/requests/public-url.ts";
import { parseJsonBody } from "../domain/requests/request-body.ts";
import { readMultipartTexts } from "../domain/requests/multipart.ts";
import { readForm } from "../domain/requests/form-text.ts";
import { AppError } from "../contract/app-error.ts";
import { toProblem } from "../domain/problem.ts";
import { draftDelivery } from "./accept.ts";
import { readHead } from "./ingest-request.ts";

/** A request of anyone: what it sends grows, and nothing has authenticated it. */
interface Sent {
  target?: string;
  headers?: string[];
  body?: string;
}

const headers = (count: number, of: (at: number) => [name: string, value: string]) =>
  Array.from({ length: count }, (_, at) => of(at)).flat();
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

/** By name: requests of about 20 bytes times `n`. */
const attacks: Record<string, (n: number) => Sent> = {
  "repeated headers": (n) => ({ headers: headers(n, () => ["x-a", "0123456789"]) }),
  "different headers": (n) => ({ headers: headers(n, (at) => [`x-${at}`, "0123456789"]) }),
  "repeated keys": (n) => ({ headers: headers(n, (at) => ["x-api-key", `sbk_${at}_12345678`]) }),
  "keys in a list": (n) => ({
    headers: ["x-api-key", Array.from({ length: n }, (_, at) => `key-${at}-12345678`).join()],
  }),
  "repeated credentials": (n) => ({ headers: headers(n, (at) => ["authorization", `Bearer token-${at}`]) }),
  "basic credentials": (n) => ({ headers: headers(n, (at) => ["authorization", basic(`user:password-${at}`)]) }),
  "credentials in a list": (n) => ({ headers: ["authorization", "Bearer token, ".repeat(n)] }),
  "spaces and commas": (n) => ({ headers: ["authorization", `Bearer ${", ".repeat(n * 10)}x`] }),
  "keys in the query": (n) => ({
    target: `/triggers/a?${Array.from({ length: n }, (_, at) => `token=key-${at}-1234`).join("&")}`,
  }),
  parameters: (n) => ({
    target: `/triggers/a?${Array.from({ length: n }, (_, at) => `name-${n - at}=1234`).join("&")}`,
  }),
  "escapes in the query": (n) => ({ target: `/triggers/a?${"%20".repeat(n * 7)}` }),
  slashes: (n) => ({ target: `/triggers/${"/".repeat(n * 20)}x` }),
  segments: (n) => ({ target: `/triggers/${"a%2f/".repeat(n * 4)}` }),
  "beginnings of tokens": (n) => ({ headers: ["x-a", "eyJ01234567-".repeat(n * 2)] }),
  "keys without an end": (n) => ({ headers: ["x-a", "sbk_0123456789a_".repeat(n)] }),
  "a long host": (n) => ({ headers: ["host", "a.".repeat(n * 10)] }),
  "colons in the host": (n) => ({ headers: ["host", ":".repeat(n * 20)] }),
  "parameters of a type": (n) => ({ headers: ["content-type", `application/json${"; a=b".repeat(n * 4)}`] }),
  "spaces in a type": (n) => ({ headers: ["content-type", `application/json; charset=${" ".repeat(n * 20)}"`] }),
  "quotes in a charset": (n) => ({ headers: ["content-type", `application/json; charset="${"\\'".repeat(n * 10)}x`] }),
  encodings: (n) => ({ headers: ["content-encoding", "gzip, ".repeat(n * 4)] }),
  "long integers": (n) => ({ body: `[${"12345678901234567890,".repeat(n)}1]` }),
  "long integers, deep": (n) => ({
    body: `${'{"a":'.repeat(100)}[${"12345678901234567890,".repeat(n)}1]${"}".repeat(100)}`,
  }),
  "one long integer": (n) => ({ body: "9".repeat(n * 20) }),
  "digits in a string": (n) => ({ body: `"${"12345678901234567890 ".repeat(n)}"` }),
  "brackets in a string": (n) => ({ body: `"${"[{".repeat(n * 10)}"` }),
  "invalid JSON": (n) => ({ body: `[${'"a",\n'.repeat(n * 4)}` }),
  escapes: (n) => ({ body: `"${"\\u0041".repeat(n * 4)}"` }),
  "empty parts": (n) => ({ body: "--b\r\n\r\n\r\n".repeat(n * 2) }),
  parts: (n) => ({ body: `${'--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(n)}--b--` }),
  fields: (n) => ({ body: "a=1&".repeat(n * 5) }),
  "escapes in a form": (n) => ({ body: "%41+%zz&".repeat(n * 3) }),
};

/** All that a request without a valid key makes the service do before it is rejected, and the reading of its body. */
function receive({ target = "/triggers/a", headers: sent = [], body = "" }: Sent): void {
  const head = readHead({ method: "POST", target, headers: sent, readBody() {} }, 1_700_000_000_000);
  keysToCheck(head.keys);
  findRemoteReason({ peerAddress: "127.0.0.1", httpVersion: "1.1", rawHeaders: sent });
  publicUrlOf({ baseUrl: null, target, headers: head.headers, isFromProxy: () => true });
  chooseFormat(onlyJson, {
    contentType: head.headers.get("content-type"),
    contentEncoding: head.headers.get("content-encoding"),
  });
  readEncodings(head.headers.get("content-encoding"));
  draftDelivery(head, null);
  toProblem(new AppError("unknown_endpoint", target), head.secrets);
  if (body === "") return;
  const bytes = Buffer.from(body);
  for (const read of [
    () => parseJsonBody(bytes),
    () => readForm(bytes, undefined),
    () => readMultipartTexts(bytes, "multipart/form-data; boundary=b"),
  ])
    attempt(read);
}

/** A body that cannot be read is rejected. */
function attempt(read: () => unknown): void {
  try {
    read();
  } catch {}
}

/** Milliseconds for this number of requests. */
function timeOf(sent: Sent, rounds: number): number {
  const began = performance.now();
  for (let round = 0; round < rounds; round += 1) receive(sent);
  return performance.now() - began;
}

describe("what anyone can send", () => {
  const small = 500;
  const times = 16;
  // Quadratic work takes 16 times as long.
  const most = 6;

  it.each(Object.entries(attacks))("takes no more than linear time: %s", (_, attack) => {
    const [one, other] = [attack(small), attack(small * times)];
    timeOf(one, times);
    // The same amount of text both times, for long enough that what else the machine does slows both down.
    const rounds = Math.min(64, Math.ceil(50 / Math.max(0.5, timeOf(other, 1))));
    const ratio = () => timeOf(other, rounds) / timeOf(one, rounds * times);
    const ratios = [ratio()];
    while (ratios.length < 4 && Math.min(...ratios) > most) ratios.push(ratio());
    expect(Math.min(...ratios)).toBeLessThan(most);
  });
});
