import { Agent } from "node:http";
import { connect } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, vi } from "vitest";
import { getJson } from "../support/api.ts";
import { post, startBystander } from "./bystander.ts";
import { type HostileService, withHostileService } from "./hostile-service.ts";

const it = withHostileService();
const mib = 1024 * 1024;
/**
 * A web process has up to 300 MiB under load. Zod's issues for 200,000 values would be another 500 for a moment. If the
 * bodies below were kept, they would be over 2 GiB.
 */
const maxMemoryMb = 600;

it("bodies that are huge, compressed, deep or have 200,000 errors are not kept in memory, get their 4xx, and do not delay other senders", async ({
  hostile: service,
}) => {
  const { url, key } = service;
  const bystander = startBystander(service);
  const agent = newAgent();
  const send = async (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
    (await post({ url: url + path, body, headers: { "x-api-key": key, ...headers }, agent })).status;

  const huge = ["Content-Length: 314572800", "Transfer-Encoding: chunked"].flatMap((framing) => [
    sendHuge(service, framing, key),
    sendHuge(service, framing, key),
    sendHuge(service, framing, "wrong"),
  ]);
  expect(await Promise.all(huge)).toEqual([413, 413, 401, 413, 413, 401]);

  const blanks = Buffer.alloc(64 * mib, 0x20);
  const bomb = gzipSync(blanks);
  const statusOfBomb = { gzip: 413, "x-gzip": 413, "gzip, gzip": 413, deflate: 400, br: 400, zstd: 415, "": 400 };
  for (const [encoding, status] of Object.entries(statusOfBomb))
    expect(await send("/triggers/signup", bomb, { "content-encoding": encoding }), encoding).toBe(status);
  for (const [encoding, bytes] of Object.entries({ deflate: deflateSync(blanks), br: brotliCompressSync(blanks) }))
    expect(await send("/triggers/signup", bytes, { "content-encoding": encoding }), encoding).toBe(413);
  expect(await send("/triggers/signup", gzipSync(bomb), { "content-encoding": "gzip, gzip" })).toBe(413);
  expect(await send("/triggers/signup", bomb)).toBe(400);

  const badItems = `{"items":[${Array.from({ length: 200_000 }, () => '""').join()}]}`;
  expect(await Promise.all(Array.from({ length: 8 }, () => send("/triggers/items", badItems)))).toEqual(
    Array.from({ length: 8 }, () => 422),
  );
  const keys = `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":${n}`).join()}}`;
  expect(await send("/triggers/signup", keys)).toBe(422);

  expect(await send("/triggers/anything", deep(10_000))).toBe(400);
  expect(await send("/triggers/anything", `{"a":`.repeat(10_000))).toBe(400);
  expect(await send("/triggers/anything", deep(512))).toBe(202);
  const odd = [
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '"\\ud800"',
    '{"\\udfff":"\\u0000"}',
    '\uFEFF{"a":1}',
    '{"a":1,"a":2}',
    "-0",
    '""',
  ];
  for (const body of odd) expect(await send("/triggers/anything", body), body).toBe(202);
  expect(await send("/triggers/anything", "1e999")).toBe(400);
  expect(await send("/triggers/signup", '{"__proto__":{"name":"Ada"}}')).toBe(422);

  const statuses = await bystander.finish();
  expect(statuses.length).toBeGreaterThan(5);
  expect(new Set(statuses)).toEqual(new Set([202]));
  expect(service.peakMemoryMb()).toBeLessThan(maxMemoryMb);
});

it("thousands of wrong keys all get 401, fill neither disk nor memory, and do not delay other senders", async ({
  hostile: service,
}) => {
  const [runsBefore, rejectedBefore] = [await service.countRuns(), await countRejected(service)];
  const bystander = startBystander(service);
  const agent = newAgent();
  const startedAt = Date.now();
  const wrong = (n: number): [string, Record<string, string>] => {
    const guess = service.key.slice(0, -6) + n.toString(36).padStart(6, "0");
    if (n % 4 === 0) return [`?token=${guess}`, {}];
    if (n % 4 === 1) return [`?api_key=${guess}`, {}];
    return ["", n % 4 === 2 ? { authorization: `Bearer ${guess}` } : { "x-api-key": guess }];
  };
  const answers = await Promise.all(
    Array.from({ length: 3000 }, (_, n) => wrong(n)).map(([query, headers]) =>
      post({ url: `${service.url}/triggers/signup${query}`, body: '{"name":"Eve"}', headers, agent }),
    ),
  );
  const seconds = (Date.now() - startedAt) / 1000;
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  const statuses = await bystander.finish();
  expect(new Set(statuses)).toEqual(new Set([202]));
  expect(await service.countRuns()).toBe(runsBefore + statuses.length);
  expect((await countRejected(service)) - rejectedBefore).toBeLessThanOrEqual(60 + 10 * seconds);
  expect(service.peakMemoryMb()).toBeLessThan(maxMemoryMb);
});

it("hundreds of bodies without their last byte do not fill the memory: those beyond the budget get 503, other keys are served, and this one again afterwards", async ({
  hostile: service,
}) => {
  const key = service.createKey("greedy");
  const bystander = startBystander(service);
  const attack = Array.from({ length: 800 }, () => sendUnfinished(service, key));
  // A key has 64 MiB: at most 64 bodies of 1 MiB wait for their last byte.
  await expect.poll(() => answersOf(attack).length).toBeGreaterThanOrEqual(800 - 64);
  // Rejected bodies have freed their memory, so a few more may fit, but not 70.
  const more = Array.from({ length: 70 }, () => sendUnfinished(service, key));
  await expect.poll(() => answersOf(more).length).toBeGreaterThan(0);
  attack.push(...more);
  for (const answer of answersOf(attack)) {
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/^retry-after: [1-9]/im);
    expect(answer).toContain('"code":"overloaded"');
  }
  const before = bystander.answered();
  await expect.poll(() => bystander.answered()).toBeGreaterThan(before + 5);
  expect(new Set(await bystander.finish())).toEqual(new Set([202]));
  expect(service.peakMemoryMb()).toBeLessThan(maxMemoryMb);

  for (const { end } of attack) end();
  await vi.waitFor(async () =>
    expect(
      (
        await post({
          url: `${service.url}/triggers/signup`,
          body: `{"name":"${"x".repeat(mib / 2)}"}`,
          headers: { "x-api-key": key },
          agent: newAgent(),
        })
      ).status,
    ).toBe(202),
  );
});

interface Unfinished {
  /** All that came back so far. */
  answer(): string;
  end(): void;
}

/** Sends a body of 1 MiB but for its last byte. */
function sendUnfinished({ port }: HostileService, key: string): Unfinished {
  const socket = connect({ port, host: "127.0.0.1" });
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  socket.on("error", () => {});
  socket.write(
    `POST /triggers/signup HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${mib}\r\n\r\n`,
  );
  socket.write(almostWhole);
  return { answer: () => text, end: () => socket.destroy() };
}

/** The whole answers that came so far. Each ends with a JSON object. */
function answersOf(attack: readonly Unfinished[]): string[] {
  return attack.map(({ answer }) => answer()).filter((text) => text.endsWith("}"));
}

const almostWhole = Buffer.alloc(mib - 1, 0x20);

function deep(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

function newAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  onTestFinished(() => agent.destroy());
  return agent;
}

/**
 * A sender that ignores responses and continues until its connection is closed or 300 MiB are sent. Gives the
 * status.
 */
function sendHuge({ port }: HostileService, framing: string, key: string): Promise<number> {
  const piece = framing.startsWith("Transfer")
    ? Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(mib, 0x20), Buffer.from("\r\n")])
    : Buffer.alloc(mib, 0x20);
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let text = "";
    let left = 300;
    const go = () => {
      while (left > 0 && socket.writable) {
        left -= 1;
        if (!socket.write(piece)) return;
      }
    };
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("drain", go);
    socket.on("error", () => {});
    socket.on("close", () => resolve(Number(text.slice(9, 12))));
    socket.write(
      `POST /triggers/signup HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
      go,
    );
  });
}

async function countRejected({ url, token }: HostileService): Promise<number> {
  let rejected = 0;
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { data: unknown[]; nextCursor: string | null } = await getJson(
      `${url}/api/v1/deliveries?limit=100&outcome=rejected${cursor && `&cursor=${cursor}`}`,
      { authorization: `Bearer ${token}` },
    );
    rejected += page.data.length;
    cursor = page.nextCursor;
  }
  return rejected;
}
