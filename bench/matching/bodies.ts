import { createRequire } from "node:module";
import { type Json, jsonSchema } from "../../server/contract/json.ts";

const small: Json = { action: "opened", repository: { full_name: "octo/hello" }, sender: { login: "ada", id: 1 }, note: "small" };

/** A small body, and GitHub's own `opened` payloads nearest to 7 kB and to 27 kB. */
export function bodiesOf(): { name: string; body: Json }[] {
  const events = createRequire(import.meta.url)("@octokit/webhooks-examples") as { examples: { action?: unknown; repository?: unknown }[] }[];
  const opened = events.flatMap(({ examples }) => examples).filter(({ action, repository }) => action === "opened" && repository !== undefined);
  const nearest = (bytes: number) => opened.toSorted((a, b) => Math.abs(sizeOf(a) - bytes) - Math.abs(sizeOf(b) - bytes))[0];
  const bodies = [small, nearest(7_000), nearest(27_000)].map((body) => jsonSchema.parse(body));
  return bodies.map((body) => ({ name: `${(sizeOf(body) / 1000).toFixed(1)} kB`, body }));
}

function sizeOf(body: unknown): number {
  return JSON.stringify(body).length;
}
