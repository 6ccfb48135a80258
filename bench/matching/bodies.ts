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

function sizeOf(body: unknown): number {
  return JSON.stringify(body).length;
}
