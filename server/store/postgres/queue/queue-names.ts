import { type Target, targetName } from "../../../contract/project/target.ts";

/**
 * The schema of pg-boss, beside that of the store. An application in the same database can have its own pg-boss, in
 * `pgboss`.
 */
export const schemaName = "signalbox_queue";

/** The runs of a queue can be executed by the same workers, and are limited by the same bound. */
export interface QueueFacts {
  /** The version that accepted the runs. */
  version: string;
  pool: "shared" | "isolated";
  /** `workflow:slug`, if its concurrent runs are limited: runs that must wait block no other target. */
  limitedTarget: string | null;
}

/** What pg-boss allows in names, without the separators of ours. */
const plain = /[^A-Za-z0-9-]/g;
const encoded = /_([0-9a-f]+)\./g;

/** `<version>/<pool>`, with `/<kind>/<slug>` behind it for a limited target. */
export function toQueueName({ version, pool, limitedTarget }: QueueFacts): string {
  const target = limitedTarget === null ? [] : limitedTarget.split(":", 2);
  return [version, pool, ...target].map(encode).join("/");
}

export function parseQueueName(name: string): QueueFacts {
  const [version = "", pool, kind, slug] = name.split("/").map(decode);
  return {
    version,
    pool: pool === "isolated" ? "isolated" : "shared",
    limitedTarget: kind === undefined ? null : `${kind}:${slug ?? ""}`,
  };
}

/** Whether the queue is that of a limited target. */
export function isLimitedQueue(name: string): boolean {
  return name.split("/").length > 2;
}

/** The queue for a run that must be alone in its next process. */
export function toIsolatedQueue(name: string): string {
  return toQueueName({ ...parseQueueName(name), pool: "isolated" });
}

export function queueOfRun(run: { version: string; target: Target; concurrency?: number | null }): string {
  const { kind, slug } = run.target;
  const isLimited = typeof run.concurrency === "number";
  return toQueueName({
    version: run.version,
    pool: "shared",
    limitedTarget: isLimited ? targetName({ kind, slug }) : null,
  });
}

/** An empty version or slug still needs a name. */
function encode(part: string): string {
  return part.replace(plain, (character) => `_${character.codePointAt(0)?.toString(16) ?? ""}.`) || "_.";
}

function decode(part: string): string {
  return part === "_."
    ? ""
    : part.replace(encoded, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}
