import * as fc from "fast-check";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { AppError } from "../../contract/app-error.ts";
import { decodeContent, readEncodings } from "./content-encoding.ts";

const encoders = {
  gzip: gzipSync,
  "x-gzip": gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  identity: (bytes: Uint8Array) => bytes,
};
type Name = keyof typeof encoders;

const encode = (bytes: Uint8Array, names: readonly Name[]) =>
  Buffer.from(names.reduce<Uint8Array>((content, name) => encoders[name](content), bytes));

async function decode(bytes: Uint8Array<ArrayBuffer>, header: string, maxBytes = 1_000_000): Promise<unknown> {
  const encodings = readEncodings(header);
  if (encodings instanceof AppError) return encodings.code;
  const taken = { bytes: 0 };
  const memory = { take: (count: number) => void (taken.bytes += count), free() {} };
  const content = await decodeContent(bytes, encodings, { maxBytes, memory }).catch((error: unknown) => error);
  if (content instanceof AppError) return { code: content.code, taken: taken.bytes };
  return content instanceof Uint8Array ? Buffer.from(content).toString("latin1") : content;
}

describe("a compressed body", () => {
  test("is decompressed from every combination of encodings", async () => {
    const names = fc.array(fc.constantFrom<Name>("gzip", "x-gzip", "deflate", "br", "identity"), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 3000 }), names, async (bytes, chosen) => {
        expect(await decode(encode(bytes, chosen), chosen.join(", "))).toBe(Buffer.from(bytes).toString("latin1"));
      }),
      { numRuns: 60 },
    );
  });

  test("may be deflated without a header, have several members, or be empty", async () => {
    expect(await decode(Buffer.from(deflateRawSync("hello")), "DEFLATE")).toBe("hello");
    expect(await decode(Buffer.concat([gzipSync("a"), gzipSync("b")]), "gzip")).toBe("ab");
    expect(await decode(Buffer.alloc(0), "gzip")).toBe("");
  });

  test.each<Name>(["gzip", "deflate", "br"])("in %s that is cut off, damaged or too long is an error", async (name) => {
    const bytes = encode(Buffer.from("hello ".repeat(50)), [name]);
    const damaged = Buffer.from(bytes);
    damaged[2] = 0xff;
    for (const broken of [
      bytes.subarray(0, -1),
      bytes.subarray(0, 4),
      damaged,
      Buffer.concat([bytes, bytes, Buffer.from("x")]),
    ])
      expect(await decode(Buffer.from(broken), name)).toMatchObject({ code: "invalid_body" });
  });

  test.each<Name>(["gzip", "deflate", "br"])(
    "in %s is counted while it is decompressed: a bomb ends at the limit",
    async (name) => {
      const bomb = encode(Buffer.alloc(20_000_000), [name]);
      expect(bomb.length).toBeLessThan(25_000);
      const end = (await decode(bomb, name, 100_000)) as { code: string; taken: number };
      expect(end.code).toBe("body_too_large");
      expect(end.taken).toBeLessThanOrEqual(200_000);
      expect(await decode(encode(bomb, ["gzip"]), `${name}, gzip`, 100_000)).toMatchObject({ code: "body_too_large" });
      expect(await decode(encode(Buffer.alloc(100_000), [name]), name, 100_000)).toHaveLength(100_000);
    },
  );

  test.each(["zstd", "compress", "gzip, zstd", "gzip;q=1", "constructor", "br, br, br, br"])(
    "in %s is rejected",
    async (header) => {
      expect(await decode(Buffer.from("x"), header)).toBe("unsupported_media_type");
    },
  );
});
