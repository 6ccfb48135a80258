import { parseDuration } from "../../../sdk/duration.ts";
import { findDelayProblems, readDelays, showOption } from "../../../sdk/retry-options.ts";
import { type RetryPolicy, versionPolicySchema } from "../../../server/contract/project/manifest.ts";
import { endpointSchema, slugSchema } from "../../../server/contract/project/endpoint.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { DiagnosticCode } from "../diagnostics/diagnostic-codes.ts";
import type { EvaluatedEntry } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";

/** Diagnostics of definitions, except for schemas: slugs, endpoints, targets, and the settings of workflows. */
export function definitionDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  const triggers = entries.flatMap((entry) =>
    entry.outcome === "trigger" ? [{ file: entry.file, ...entry.trigger }] : [],
  );
  const workflows = entries.flatMap((entry) =>
    entry.outcome === "workflow" ? [{ file: entry.file, ...entry.workflow }] : [],
  );
  const agents = entries.flatMap((entry) =>
    entry.outcome === "agent" ? [{ file: entry.file, slug: entry.agent.slug }] : [],
  );
  const found: Diagnostic[] = [];
  const report = (
    file: string,
    property: string,
    value: unknown,
    code: DiagnosticCode,
    title: string,
    hint = "",
  ): void => {
    const at = files.findProperty(file, property, value) ?? { file };
    const diagnostic = files.diagnose({ code, title: `${file} › ${title}`, at });
    found.push(hint === "" ? diagnostic : { ...diagnostic, fix: hint });
  };

  for (const { file, slug } of [...triggers, ...workflows, ...agents]) {
    if (!slugSchema.safeParse(slug).success)
      report(file, "slug", slug, "invalid_slug", `slug is ${show(slug)}`, suggest("slug", slug, slugify(slug)));
  }
  for (const { file, endpoint, target, slug } of triggers) {
    if (!endpointSchema.safeParse(endpoint).success) {
      report(
        file,
        "endpoint",
        endpoint,
        "invalid_endpoint",
        `endpoint is ${show(endpoint)}`,
        suggest("endpoint", endpoint, endpointify(endpoint)),
      );
    }
    if (target.file === null && target.kind === "agent")
      report(
        file,
        "agent",
        null,
        "unlisted_agent",
        `${show(slug)} is attached to the agent ${show(target.slug)}, which no file in agents/ exports as default`,
      );
    else if (target.file === null)
      report(
        file,
        "workflow",
        null,
        "unlisted_workflow",
        `${show(slug)} is attached to the workflow ${show(target.slug)}, which no file in workflows/ exports as default`,
      );
  }
  for (const { file, retries, timeout, concurrency, maxQueued, versions } of workflows) {
    for (const problem of retryProblems(retries))
      report(file, problem.property, null, "invalid_retries", problem.title);
    if (timeout !== undefined && !isTimeout(timeout))
      report(file, "timeout", null, "invalid_timeout", `timeout is ${show(timeout)}`);
    if (concurrency !== undefined && !isCount(concurrency))
      report(file, "concurrency", null, "invalid_concurrency", `concurrency is ${show(concurrency)}`);
    if (maxQueued !== undefined && !isCount(maxQueued))
      report(file, "maxQueued", null, "invalid_max_queued", `maxQueued is ${show(maxQueued)}`);
    if (!versionPolicySchema.optional().safeParse(versions).success)
      report(file, "versions", null, "invalid_versions", `versions is ${show(versions)}`);
  }
  return [
    ...found,
    ...duplicates(triggers, files),
    ...sameSlugs("duplicate_workflow", workflows, files),
    ...sameSlugs("duplicate_agent", agents, files),
  ];
}

/** The policy of `retries`. Requires a value without diagnostics. */
export function retryPolicyOf(retries: unknown): RetryPolicy {
  const options = optionsOf(retries);
  const { attempts } = options;
  return { attempts: typeof attempts === "number" ? attempts : 3, ...readDelays(options) };
}

function retryProblems(retries: unknown): { property: string; title: string }[] {
  if (retries === undefined) return [];
  if (typeof retries !== "object" || retries === null || Array.isArray(retries))
    return [{ property: "retries", title: `retries is ${show(retries)}` }];
  const options = optionsOf(retries);
  const { attempts } = options;
  const unknown = Object.keys(options).filter(
    (name) => !["attempts", "backoff", "initialDelay", "maxDelay"].includes(name),
  );
  const isAttempts = attempts === undefined || (isCount(attempts) && attempts <= 100);
  return [
    ...unknown.map((name) => ({ property: name, title: `${name} is not an option` })),
    ...(isAttempts ? [] : [{ property: "attempts", title: `attempts is ${show(attempts)}` }]),
    ...findDelayProblems(options),
  ].map(({ property, title }) => ({ property, title: `retries › ${title}` }));
}

function optionsOf(retries: unknown): Record<string, unknown> {
  return typeof retries === "object" && retries !== null ? { ...retries } : {};
}

export function isTimeout(timeout: unknown): boolean {
  const timeoutMs = parseDuration(timeout);
  return timeoutMs !== null && timeoutMs >= 1;
}

export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1;
}

type FoundTrigger = { file: string; slug: unknown; endpoint: unknown; target: { slug: unknown } };

function diagnoseClash(clash: {
  code: DiagnosticCode;
  first: string;
  second: string;
  slug: unknown;
  what: string;
  files: ProjectFiles;
}): Diagnostic {
  return clash.files.diagnose({
    code: clash.code,
    title: `${clash.second} and ${clash.first} ${clash.what}`,
    at: clash.files.findProperty(clash.second, "slug", clash.slug) ?? { file: clash.second },
  });
}

function sameSlugs(
  code: DiagnosticCode,
  targets: readonly { file: string; slug: unknown }[],
  files: ProjectFiles,
): Diagnostic[] {
  const slugs = new Map<unknown, string>();
  return targets.flatMap(({ file, slug }) => {
    const first = slugs.get(slug);
    if (first !== undefined)
      return [diagnoseClash({ code, first, second: file, slug, what: `both have the slug ${show(slug)}`, files })];
    slugs.set(slug, file);
    return [];
  });
}

function duplicates(triggers: readonly FoundTrigger[], files: ProjectFiles): Diagnostic[] {
  const found: Diagnostic[] = [];
  const clash = (code: DiagnosticCode, first: string, second: string, slug: unknown, what: string): void =>
    void found.push(diagnoseClash({ code, first, second, slug, what, files }));
  const attachments = new Map<string, FoundTrigger>();
  const endpoints = new Map<unknown, FoundTrigger>();
  for (const trigger of triggers) {
    const id = `${String(trigger.slug)}:${String(trigger.target.slug)}`;
    const sameSlug = endpoints.get(trigger.slug);
    const sameId = attachments.get(id);
    if (sameSlug && sameSlug.endpoint !== trigger.endpoint) {
      clash(
        "duplicate_slug",
        sameSlug.file,
        trigger.file,
        trigger.slug,
        `both have the slug ${show(trigger.slug)}, but listen on different endpoints: ${show(trigger.endpoint)} and ${show(sameSlug.endpoint)}`,
      );
    } else if (sameId) {
      clash("duplicate_attachment", sameId.file, trigger.file, trigger.slug, `are both ${id}`);
    }
    endpoints.set(trigger.slug, sameSlug ?? trigger);
    attachments.set(id, sameId ?? trigger);
  }
  return found;
}

/** A value in a title. */
export const show = showOption;

function suggest(property: string, given: unknown, better: string): string {
  return better !== "" && better !== given ? `Write ${property}: ${JSON.stringify(better)}.` : "";
}

function slugify(value: unknown): string {
  const words = String(value)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase();
  return words
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 64)
    .replaceAll(/^-+|-+$/g, "");
}

function endpointify(value: unknown): string {
  const segments = String(value)
    .replace(/^\/?triggers\//, "")
    .split("/")
    .map(slugify);
  return segments.filter((segment) => segment !== "").join("/");
}
