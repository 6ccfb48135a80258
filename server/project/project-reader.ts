import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FailedBuild } from "../contract/project/failed-build.ts";
import type { Manifest, ManifestTrigger } from "../contract/project/manifest.ts";
import { shareSchemas } from "../matching/schemas/share-schemas.ts";
import { buildTriggerIndex } from "../matching/index/trigger-index.ts";
import type { ProjectReader, ProjectSources, TriggerIndex, TriggerSource } from "../ports/project.ts";
import { isSchema, readFieldsSchemas, readTriggerExport } from "./definitions.ts";
import { ProjectError, readManifest } from "./read-manifest.ts";
import { nameMissingSecrets, nameUnusableSecrets } from "./verification-secrets.ts";

/**
 * The project as loaded by the receiver. `reload` loads the build that `.signalbox/manifest.json` names. If that fails,
 * it throws ProjectError and the old project stays active.
 */
export async function createProjectReader(stateDir: string): Promise<ReloadableProject> {
  let sources = await load(stateDir);
  let failedBuild: FailedBuild | null = null;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  return {
    current: () => sources,
    failedBuild: () => failedBuild,
    async reload() {
      sources = await load(stateDir);
      notify();
    },
    reportBuild(failed) {
      failedBuild = failed;
      notify();
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export interface ReloadableProject extends ProjectReader {
  reload(): Promise<void>;
  failedBuild(): FailedBuild | null;
  /** Reports that the newest build failed; `null` means that it is active. */
  reportBuild(failed: FailedBuild | null): void;
  /** Calls the listener after each reload and each report. Returns a function that stops it. */
  watch(listener: () => void): () => void;
}

async function load(stateDir: string): Promise<ProjectSources> {
  const manifest = await readManifest(stateDir);
  if (!manifest)
    throw new ProjectError(
      `The project is not built: there is no manifest.json in ${stateDir}. Run \`signalbox build\`.`,
    );
  return loadSources(stateDir, manifest);
}

/**
 * Loads the receiver's part of the project: its triggers with their schemas, without workflow code. Throws
 * ProjectError.
 */
export async function loadSources(stateDir: string, manifest: Manifest): Promise<ProjectSources> {
  const file = join(stateDir, manifest.folder, manifest.sources);
  const module = await importModule(file);
  const definitions = Array.isArray(module["triggers"]) ? module["triggers"] : [];
  const triggers = shareSchemas(manifest.triggers.map((entry, index) => toSource(entry, definitions[index], file)));
  return { manifest, triggers, byEndpoint: groupByEndpoint(triggers), indexes: indexEndpoints(manifest) };
}

async function importModule(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
    const fix = isMissingPackage(error)
      ? "Install the packages of the project with `npm install`."
      : "Run `signalbox build`.";
    throw new ProjectError(`Cannot load the built project: ${reason}. ${fix}`, { cause: error });
  }
}

/** A build imports the packages of the project from its node_modules. */
function isMissingPackage(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Cannot find package ");
}

function toSource(entry: ManifestTrigger, definition: unknown, file: string): TriggerSource {
  const source = readTriggerExport(definition)?.source;
  if (!source || !isSchema(source.request)) {
    throw new ProjectError(
      `${file} does not contain the trigger ${entry.attachmentId} of the manifest. Run \`signalbox build\`.`,
    );
  }
  const { event, filter, request, verify } = source;
  // The signature code is part of the build: a build of an older version answers no handshakes.
  if (verify && typeof verify.greet !== "function")
    throw new ProjectError(
      `${entry.file} › verify was built by an older version of Signalbox. Run \`signalbox build\`.`,
    );
  return {
    slug: entry.slug,
    endpoint: entry.endpoint,
    attachmentId: entry.attachmentId,
    target: entry.target,
    request,
    filter: isSchema(filter) ? filter : null,
    event: isSchema(event) ? event : null,
    ...readFieldsSchemas(entry, source),
    verify: verify ?? null,
    dedupe: entry.dedupe,
    body: entry.body,
    rateLimit: entry.rateLimit,
    onMismatch: entry.onMismatch,
    reply: entry.reply,
    challenges: entry.challenges,
    methods: entry.methods,
    key: entry.key,
  };
}

function groupByEndpoint(triggers: readonly TriggerSource[]): ReadonlyMap<string, readonly TriggerSource[]> {
  return Map.groupBy(triggers, (trigger) => trigger.endpoint);
}

/** Groups the exports of the manifest in the same order as groupByEndpoint groups the triggers. */
function indexEndpoints({ triggers }: Manifest): ReadonlyMap<string, TriggerIndex> {
  return new Map(
    [...Map.groupBy(triggers, (trigger) => trigger.endpoint)].map(([endpoint, group]) => [
      endpoint,
      buildTriggerIndex(group),
    ]),
  );
}

/**
 * Prevents a deployed server from starting without the secrets of its signature checks: builds can run without them.
 * Throws a ProjectError that names everything that is missing, and how to fix it, but contains no secret.
 */
export function requireSecrets({ manifest, triggers, byEndpoint }: ProjectSources): void {
  const { secrets } = manifest.environment;
  const fileOf = new Map(manifest.triggers.map(({ attachmentId, file }) => [attachmentId, file]));
  const withProblem = triggers.flatMap(({ attachmentId, verify }) =>
    verify?.secretProblem
      ? [{ file: fileOf.get(attachmentId) ?? "", scheme: verify.scheme, problem: verify.secretProblem }]
      : [],
  );
  const unusable = withProblem.filter(({ problem }) => problem.kind !== "missing");
  const messages = unusable.map(({ file, scheme, problem: { words, subject = "secret", fix } }) => {
    const names = nameUnusableSecrets({ file, secrets }).join(", ");
    const remedy = fix
      ? `${fix} in the environment or in .env`
      : `Copy the complete ${subject} from the sender's settings`;
    return `${file} › verify › ${scheme}: its ${subject}${names && ` (${names})`} ${words}. ${remedy}, then restart the server.`;
  });
  const missing = withProblem.filter(({ problem }) => problem.kind === "missing");
  if (missing.length > 0) {
    const { variables, others } = nameMissingSecrets({ triggers: missing, secrets });
    const named = variables.map(({ name, files }) => `${name} is not set (${files.join(", ")})`);
    const unnamed = others.map(
      ({ file, scheme, problem: { words, subject = "secret" } }) =>
        `${file} › verify › ${scheme}: its ${subject} ${words}`,
    );
    messages.push(
      `${[...named, ...unnamed].join("; ")}. Set ${variables.length + others.length > 1 ? "these variables" : "the variable"} in the environment or in .env, then restart the server.`,
    );
  }
  if (messages.length > 0) throw new ProjectError([...new Set(messages)].join("\n"));
  for (const [endpoint, group] of byEndpoint) {
    const [first, ...others] = group;
    const fingerprint = first?.verify?.fingerprint();
    const other = others.find(({ verify }) => verify?.fingerprint() !== fingerprint);
    if (!first || !other) continue;
    const files = [first, other].map(({ attachmentId }) => fileOf.get(attachmentId)).join(" and ");
    throw new ProjectError(
      `${files} share the endpoint ${JSON.stringify(endpoint)}, but have different secrets here. Use the same secret in both, then restart the server.`,
    );
  }
}
