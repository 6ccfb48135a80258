import { createRequire } from "node:module";
import { type Json, jsonSchema } from "../../server/contract/json.ts";

const small: Json = {
  action: "opened",
  repository: { full_name: "octo/hello" },
  sender: { login: "ada", id: 1 },
  note: "small",
};

/** A small body, and those of GitHub's own payloads that are nearest to 7 kB and to 27 kB, with another action. */
export function bodiesOf(): { name: string; body: Json }[] {
  const events = createRequire(import.meta.url)("@octokit/webhooks-examples") as {
    examples: Record<string, unknown>[];
  }[];
  const payloads = events
    .flatMap(({ examples }) => examples)
    .filter(({ repository, sender }) => repository !== undefined && sender !== undefined);
  const opened = payloads.map((payload) => ({ ...payload, action: "opened" }));
  const nearest = (bytes: number) =>
    opened.toSorted((a, b) => Math.abs(sizeOf(a) - bytes) - Math.abs(sizeOf(b) - bytes))[0];
  const bodies = [small, nearest(7_000), nearest(27_000)].map((body) => jsonSchema.parse(body));
  return bodies.map((body) => ({ name: `${(sizeOf(body) / 1000).toFixed(1)} kB`, body }));
}

/** The headers of a webhook of GitHub behind a proxy. */
export const headers: Readonly<Record<string, string>> = {
  host: "hooks.example.com",
  "user-agent": "GitHub-Hookshot/a1b2c3d",
  accept: "*/*",
  "content-type": "application/json",
  "content-length": "7000",
  "x-event": "opened",
  "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
  "x-github-hook-id": "292430182",
  "x-hub-signature-256": "sha256=d57c68ca6f92289e6987922ff26938930f6e66a2d161ef06abdf1859230aa23c",
  "x-forwarded-for": "192.0.2.1",
  "x-forwarded-proto": "https",
};

function sizeOf(body: unknown): number {
  return JSON.stringify(body).length;
}
