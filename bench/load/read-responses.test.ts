import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createResponseReader } from "./read-responses.ts";

const answers = {
  202: 'HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"ok":true}',
  200: "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
  422: "HTTP/1.1 422 Unprocessable Entity\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\na\r\n0123456789\r\n0\r\n\r\n",
  503: "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 27\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n..",
} as const;
const statuses = [200, 202, 422, 503] as const;

function read(pieces: readonly Buffer[]): number[] {
  const seen: number[] = [];
  const reader = createResponseReader((status) => void seen.push(status));
  for (const piece of pieces) {
    // The connection passes the same memory each time.
    const memory = Buffer.from(piece);
    reader(memory);
    memory.fill(0);
  }
  return seen;
}

describe("createResponseReader", () => {
  it("reads the status of every response, in order, for any split of the bytes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...statuses), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
        (sent, lengths) => {
          const bytes = Buffer.from(sent.map((status) => answers[status]).join(""));
          const pieces: Buffer[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const length = lengths[turn % lengths.length] ?? 1;
            pieces.push(bytes.subarray(at, at + length));
            at += length;
          }
          expect(read(pieces)).toEqual(sent);
        },
      ),
    );
  });

  it("reports no response whose last byte is missing", () => {
    for (const answer of Object.values(answers)) expect(read([Buffer.from(answer).subarray(0, -1)])).toEqual([]);
  });

  it("reads a body of many pieces to its last byte", () => {
    const seen: number[] = [];
    const reader = createResponseReader((status) => void seen.push(status));
    reader(Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 65536000\r\n\r\n"));
    const piece = Buffer.alloc(65_536);
    for (let n = 0; n < 999; n++) reader(piece);
    expect(seen).toEqual([]);
    reader(piece);
    expect(seen).toEqual([200]);
  });

  it("throws for chunks without a size, instead of waiting forever", () => {
    expect(() => read([Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")])).toThrow(
      "without a size",
    );
  });
});
