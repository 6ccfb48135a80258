import { definitionKind } from "../../sdk/definition.ts";
import { parseDuration } from "../../sdk/duration.ts";
import { showOption } from "../../sdk/retry-options.ts";
import { maxKeyLength } from "../../sdk/run-key.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest, ManifestWorkflow } from "../contract/project/manifest.ts";
import { findBuilt, type Target } from "../contract/project/target.ts";
import type { ChildLink } from "../domain/runs/child-runs.ts";
import { didYouMean } from "../../sdk/did-you-mean.ts";
import { FinalFailure, wrongCall } from "./run-errors.ts";
import { parseValue, toJson } from "./run-values.ts";
import type { AnySchema } from "../ports/project.ts";
import { maxTimeoutMs, readOptions } from "./wait-request.ts";

/** What `ctx.call` and `ctx.start` are called with. */
export interface ChildRequest {
  target: Target;
  built: ManifestWorkflow;
  /** Of its input. `null`: it is an agent. */
  schema: AnySchema | null;
  /** The key of the run; `null`: none. */
  key: string | null;
  /** `null`: the call never times out. */
  timeoutMs: number | null;
  link: ChildLink;
}

/**
 * Throws a TypeError for a value that the compiler rejects as well, and a FinalFailure for an unknown target. `call`:
 * for messages.
 */
export function readChildRequest(
  call: string,
  given: { target: unknown; options: unknown; kind: "call" | "start" },
  manifest: Pick<Manifest, "workflows" | "agents">,
): ChildRequest {
  const options = readOptions(call, given.options, given.kind === "call" ? ["key", "timeout", "onParentEnd"] : ["key"]);
  const { target, schema } = readTarget(call, given.target);
  return {
    target,
    schema,
    built: findTarget(call, target, manifest),
    key: readKey(call, options["key"]),
    timeoutMs: readTimeout(call, options["timeout"]),
    link: given.kind === "start" ? "start" : readLink(call, options["onParentEnd"]),
  };
}

/** The input of a child run as JSON. Throws a FinalFailure if it does not match the schema of its target. */
export function readChildInput(call: string, { target, schema }: ChildRequest, given: unknown): Json {
  const what = `${call}: the input of ${target.kind} ${target.slug}`;
  // The child gets it after a JSON round trip.
  const input = toJson(given, what);
  if (schema) parseValue({ schema, value: input, name: "InvalidInput", what: `${what} does not match its schema` });
  else if (typeof Reflect.get(Object(input), "prompt") !== "string")
    throw new FinalFailure("InvalidInput", `${what} must be { prompt: "…" }.`);
  return input;
}

function readTarget(call: string, given: unknown): { target: Target; schema: AnySchema | null } {
  const kind: unknown = Reflect.get(Object(given), definitionKind);
  const slug: unknown = Reflect.get(Object(given), "slug");
  if ((kind !== "workflow" && kind !== "agent") || typeof slug !== "string")
    throw wrongCall(`${call} needs a workflow or an agent: the default export of a file in workflows/ or agents/.`);
  const schema = kind === "workflow" ? (Reflect.get(Object(given), "input") as AnySchema) : null;
  return { target: { kind, slug }, schema };
}

function findTarget(call: string, target: Target, manifest: Pick<Manifest, "workflows" | "agents">): ManifestWorkflow {
  const built = findBuilt<ManifestWorkflow>(manifest, target);
  if (built) return built;
  const { kind, slug } = target;
  const known = kind === "workflow" ? manifest.workflows : manifest.agents;
  const nearest = didYouMean(
    slug,
    known.map((one) => one.slug),
  );
  throw new FinalFailure(
    "UnknownTarget",
    `${call}: no file in ${kind}s/ exports the ${kind} ${slug}.${nearest} Export it as the default of a file in ${kind}s/.`,
  );
}

function readKey(call: string, given: unknown): string | null {
  if (given === undefined || given === null) return null;
  if (typeof given !== "string" || given === "" || given.length > maxKeyLength)
    throw wrongCall(`${call}: key is ${showOption(given)}. It must be a string of 1 to ${maxKeyLength} characters.`);
  return given;
}

function readTimeout(call: string, given: unknown): number | null {
  if (given === undefined) return null;
  const ms = parseDuration(given);
  if (ms === null || ms <= 0 || ms > maxTimeoutMs)
    throw wrongCall(
      `${call}: timeout is ${showOption(given)}. It must be more than 0: a number of milliseconds or a string such as "10s", "5m" or "14d", at most "366d".`,
    );
  return ms;
}

function readLink(call: string, given: unknown): ChildLink {
  if (given === undefined || given === "cancel") return "call";
  if (given === "continue") return "kept_call";
  throw wrongCall(`${call}: onParentEnd is ${showOption(given)}. It must be "cancel" or "continue".`);
}
