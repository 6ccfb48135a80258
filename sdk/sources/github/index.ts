import { github as verifyGitHub } from "../../verify/senders/github.ts";
import { createEventSources, type EventSources } from "../define-event-source.ts";
import { type EventField, leaf } from "../event-fields.ts";
import { events, samples, shapes } from "./event-data.ts";
import type { GitHubEvents } from "./payloads.ts";

/**
 * Typed sources for the webhooks of GitHub: `github.on("issues.opened", …)`, or `github.on("push", …)` for an event
 * without actions. The header `x-github-event` and the field `action` select the event. With `secret`, GitHub's
 * signature is verified, and a redelivery is recognised by its body; without it, by `x-github-delivery`.
 *
 * @example
 *   // triggers/issue-opened.ts
 *   import { github } from "signalbox/sources/github";
 *   import triage from "../workflows/triage.js";
 *
 *   export default github
 *     .on("issues.opened", {
 *       slug: "issue-opened",
 *       endpoint: "github",
 *       secret: process.env.GITHUB_SECRET,
 *       pick: ["issue.number", "issue.title", "repository.full_name"],
 *     })
 *     .attach({ workflow: triage, transform: ({ issue }) => ({ title: issue.title }) });
 */
export const github: EventSources<GitHubEvents, "x-github-event"> = createEventSources({
  name: "github",
  findEvent(event) {
    const shape = Object.hasOwn(events, event) ? events[event] : undefined;
    return shape === undefined ? null : readShape(shape, { isNullable: false, isOptional: false });
  },
  header: (event) => ({ name: "x-github-event", value: event.split(".")[0] ?? event }),
  fixed: (event): Record<string, string> => (event.includes(".") ? { action: event.split(".")[1] ?? "" } : {}),
  verify: (secret) => verifyGitHub({ secret }),
  dedupe: { unsigned: { header: "x-github-delivery" } },
});

/** An object of a shape, as `event-data.ts` describes it. */
function readShape(shape: number, flags: { isNullable: boolean; isOptional: boolean }): EventField {
  const fields = new Map(
    (shapes[shape] ?? "").split(",").flatMap((text): [string, { code: string; isOptional: boolean }][] => {
      const [, name, mark, code] = /^(.*?)(\??):([^:]*)$/.exec(text) ?? [];
      return name === undefined || code === undefined ? [] : [[name, { code, isOptional: mark === "?" }]];
    }),
  );
  return {
    ...leaf,
    ...flags,
    names: [...fields.keys()],
    field(name) {
      const found = fields.get(name);
      return found ? readCode(found.code, { isOptional: found.isOptional, sample: samples[shape]?.[name] }) : null;
    },
  };
}

const scalars: Record<string, EventField["scalars"][number]> = {
  s: "string",
  i: "integer",
  n: "number",
  b: "boolean",
  o: "object",
  u: "unknown",
};

function readCode(code: string, { isOptional, sample }: { isOptional: boolean; sample: unknown }): EventField {
  const isNullable = code.endsWith("0");
  const object = /\{(\d+)\}0?$/.exec(code)?.[1];
  if (object !== undefined && !code.startsWith("[")) return readShape(Number(object), { isNullable, isOptional });
  const [, letters = "", items] = /^([a-z]*)(?:\[(.*)\])?/.exec(code) ?? [];
  return {
    ...leaf,
    isNullable,
    isOptional,
    sample,
    scalars: [...letters].flatMap((letter) => scalars[letter] ?? []),
    items: items === undefined ? null : readCode(items, { isOptional: false, sample: undefined }),
  };
}
