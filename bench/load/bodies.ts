import { createRequire } from "node:module";

export interface BodySet {
  name: string;
  bodies: Buffer[];
}

/** 300 bytes of JSON, like those of a form. */
export function smallBody(): BodySet {
  const person = { name: "Ada Lovelace", email: "ada@example.com", note: "" };
  const note = "x".repeat(300 - JSON.stringify(person).length);
  return { name: "300 bytes", bodies: [Buffer.from(JSON.stringify({ ...person, note }))] };
}

/** GitHub's own example of a push: 7.7 kB. */
export function pushBody(): BodySet {
  const push = examples()
    .filter(({ event }) => event === "push")
    .map(({ body }) => body)
    .toSorted((a, b) => b.length - a.length)
    .find((body) => body.length < 8_000);
  if (!push) throw new Error("@octokit/webhooks-examples has no push of less than 8 kB");
  return { name: `a push of ${(push.length / 1000).toFixed(1)} kB`, bodies: [push] };
}

/** All of GitHub's examples, in turn. */
export function githubBodies(): BodySet {
  const bodies = examples().map(({ body }) => body);
  const sizes = bodies.map(({ length }) => length).sort((a, b) => a - b);
  return {
    name: `${bodies.length} GitHub payloads (${kilobytes(sizes[0])} to ${kilobytes(sizes.at(-1))} kB, median ${kilobytes(sizes[sizes.length >> 1])} kB)`,
    bodies,
  };
}

function examples(): { event: string; body: Buffer }[] {
  const events = createRequire(import.meta.url)("@octokit/webhooks-examples") as {
    name: string;
    examples: unknown[];
  }[];
  return events.flatMap(({ name, examples }) =>
    examples.map((example) => ({ event: name, body: Buffer.from(JSON.stringify(example)) })),
  );
}

function kilobytes(bytes = 0): string {
  return (bytes / 1000).toFixed(1);
}
