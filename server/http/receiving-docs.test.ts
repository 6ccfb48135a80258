import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { github } from "../../sdk/verify/index.ts";
import { unavailable } from "../ingest/testing/memory-delivery-store.ts";
import { triggerOf } from "../ingest/testing/project.ts";
import { packageRoot } from "../paths.ts";
import { sendRaw, serve } from "./testing/serve.ts";

const triggers = [
  triggerOf({ slug: "new-signup", endpoint: "signup", target: "welcome-email", request: z.object({ name: z.string().trim().min(1), email: z.email() }) }),
  triggerOf({ slug: "invoice-paid", endpoint: "billing", target: "thank-you", request: z.object({ type: z.literal("invoice.paid") }) }),
  triggerOf({ slug: "invoice-failed", endpoint: "billing", target: "dunning", request: z.object({ type: z.literal("invoice.failed") }) }),
  triggerOf({ slug: "large-payment", endpoint: "billing", target: "tell-sales", request: z.object({ amount: z.number() }), filter: z.object({ amount: z.number().min(10_000) }) }),
];

const signed = triggerOf({ slug: "pushed", endpoint: "code", request: z.object({ ref: z.string() }), verify: github({ secret: "It's a Secret to Everybody" }) });

const page = readFileSync(join(packageRoot, "docs/receiving.md"), "utf8");
const blocks = Array.from(page.matchAll(/```http\n([\s\S]*?)\n```/g), ([, block = ""]) => block);

describe("docs/receiving.md", () => {
  test("every example gets the answer that stands under it, and every status has one", async () => {
    const { port, store } = await serve({
      triggers: [...triggers, signed],
      authenticate: async (presented) => (presented.length === 0 ? { ok: true, keyId: null } : { ok: false }),
    });
    const statuses = new Set<number>();
    for (let at = 0; at < blocks.length; at += 2) {
      const request = parse(blocks[at] ?? "");
      const expected = parse(blocks[at + 1] ?? "");
      const status = Number(expected.start.split(" ")[1]);
      store.failure = status === 503 ? unavailable : null;
      const headers = ["Host: x", ...(/^content-length/im.test(request.headers.join("\n")) ? [] : [`Content-Length: ${Buffer.byteLength(request.body)}`]), ...request.headers];
      const answer = await sendRaw(port, `${request.start}\r\n${headers.join("\r\n")}\r\n\r\n${request.body}`);
      expect(hideIds(answer.head).split("\r\n")[0]).toBe(expected.start);
      const sent = hideIds(answer.head).toLowerCase().split("\r\n");
      for (const header of expected.headers) expect(sent).toContain(header.toLowerCase());
      expect(JSON.parse(hideIds(answer.body))).toStrictEqual(JSON.parse(expected.body));
      statuses.add(status);
    }
    expect([...statuses].sort()).toEqual([200, 202, 400, 401, 404, 405, 413, 415, 422, 503]);
  });
});

function parse(block: string): { start: string; headers: string[]; body: string } {
  const [head = "", ...body] = block.split("\n\n");
  const [start = "", ...headers] = head.split("\n");
  return { start, headers, body: body.join("\n\n") };
}

function hideIds(text: string): string {
  return text.replaceAll(/\b(run|dlv)_[0-9A-Z]{26}/g, "$1_…");
}
