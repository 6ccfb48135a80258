import { showOption } from "../../../sdk/retry-options.ts";
import { endpointSchema, slugSchema } from "../../../server/contract/project/endpoint.ts";
import {
  agentOptions,
  endpointOptions,
  findOptionProblems,
  workflowOptions,
} from "../../../server/contract/project/options.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { DiagnosticCode } from "../diagnostics/diagnostic-codes.ts";
import type { EvaluatedEntry, EvaluatedTrigger } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";

/** Diagnostics of definitions, except for schemas: slugs, endpoints, targets, and options. */
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
    if (target?.file === null && target.kind === "agent")
      report(
        file,
        "agent",
        null,
        "unlisted_agent",
        `${show(slug)} is attached to the agent ${show(target.slug)}, which no file in agents/ exports as default`,
      );
    else if (target?.file === null)
      report(
        file,
        "workflow",
        null,
        "unlisted_workflow",
        `${show(slug)} is attached to the workflow ${show(target.slug)}, which no file in workflows/ exports as default`,
      );
  }
  return [
    ...found,
    ...optionDiagnostics(entries, files),
    ...duplicates(triggers, files),
    ...sameSlugs("duplicate_workflow", workflows, files),
    ...sameSlugs("duplicate_agent", agents, files),
  ];
}

/** Of the options whose values do not depend on others. */
function optionDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  const check = (
    file: string,
    options: typeof workflowOptions | typeof agentOptions | typeof endpointOptions,
    written: object,
  ) =>
    Object.entries(options).flatMap(([name, option]) =>
      findOptionProblems(option, Object(written)[name]).map(({ path, predicate }) =>
        files.diagnose({
          code: option.code,
          title: `${[file, name, ...path].join(" › ")} ${predicate}`,
          at: files.findProperty(file, path.at(-1) ?? name) ?? files.findProperty(file, name) ?? { file },
        }),
      ),
    );
  return entries.flatMap((entry) => {
    if (entry.outcome === "workflow") return check(entry.file, workflowOptions, entry.workflow);
    if (entry.outcome === "agent") return check(entry.file, agentOptions, entry.agent);
    return entry.outcome === "trigger" ? check(entry.file, endpointOptions, entry.trigger) : [];
  });
}

type FoundTrigger = Pick<EvaluatedTrigger, "slug" | "endpoint" | "target"> & { file: string };

function diagnoseClash(clash: {
  code: DiagnosticCode;
  first: string;
  second: string;
  slug: unknown;
  what: string;
  files: ProjectFiles;
  reason?: { text: string; fix: string };
}): Diagnostic {
  return clash.files.diagnose({
    ...clash.reason,
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

const sameSource = {
  text: "A source without a target wakes the runs that wait for it. It needs only one file in triggers/.",
  fix: "Remove one of the two files, change the slug of one, or attach one to a workflow or agent.",
};

function duplicates(triggers: readonly FoundTrigger[], files: ProjectFiles): Diagnostic[] {
  const found: Diagnostic[] = [];
  const clash = (
    code: DiagnosticCode,
    first: string,
    second: string,
    slug: unknown,
    what: string,
    reason?: { text: string; fix: string },
  ): void => void found.push(diagnoseClash({ code, first, second, slug, what, files, ...(reason && { reason }) }));
  const attachments = new Map<string, FoundTrigger>();
  const endpoints = new Map<unknown, FoundTrigger>();
  for (const trigger of triggers) {
    const id = attachmentIdOf(trigger);
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
    } else if (sameId && !trigger.target) {
      const what = `both export the source ${show(trigger.slug)} without a target`;
      clash("duplicate_attachment", sameId.file, trigger.file, trigger.slug, what, sameSource);
    } else if (sameId) {
      clash("duplicate_attachment", sameId.file, trigger.file, trigger.slug, `are both ${id}`);
    }
    endpoints.set(trigger.slug, sameSlug ?? trigger);
    attachments.set(id, sameId ?? trigger);
  }
  return found;
}

/** That of a source without a target is its slug. */
export function attachmentIdOf({ slug, target }: Pick<EvaluatedTrigger, "slug" | "target">): string {
  return target ? `${String(slug)}:${String(target.slug)}` : String(slug);
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
