import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentDefinition, ToolLike } from "../../sdk/definition.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import { toPointer } from "../shared/json/json-pointer.ts";
import type { RunBuild } from "../domain/runs/run-builds.ts";
import type { Logger } from "../ports/logger.ts";
import type { LanguageModel, LoadedTool } from "../ports/model.ts";
import type { LoadedAgent, LoadedTrigger, LoadedWorkflow, ProjectCode } from "../ports/project.ts";
import {
  type ExportedFields,
  isAgent,
  isSchema,
  isWorkflow,
  readFieldsSchemas,
  readTriggerExport,
} from "./definitions.ts";
import { createStackMapper } from "./map-stack.ts";
import { buildManifestFile, parseManifest, ProjectError } from "./read-manifest.ts";

/**
 * The code of a run's build, for worker processes. An older build is opened by the first run that needs it, and stays
 * in memory beside the current one. If it is no longer on the disk, the current build takes its place.
 */
export function loadBuilds(p: {
  stateDir: string;
  current: Manifest;
  logger: Logger;
}): (run: { build?: RunBuild }) => ProjectCode {
  const { stateDir, current } = p;
  const code = loadCode(stateDir, current);
  const older = new Map<string, ProjectCode>();

  function openOlder(version: string): ProjectCode | null {
    const file = buildManifestFile(stateDir, version);
    try {
      const opened = older.get(version) ?? loadCode(stateDir, parseManifest(readFileSync(file, "utf8"), file));
      // It may be in memory, but without all of its modules.
      if (!existsSync(file)) return null;
      older.set(version, opened);
      return opened;
    } catch (error) {
      p.logger.warn("build cannot be read, its runs continue on the current one", { version, error });
      return null;
    }
  }

  return ({ build }) => {
    if (!build) return code;
    const accepting = build.version === current.version ? null : openOlder(build.version);
    return accepting ?? { ...code, replaces: build.acceptedBy };
  };
}

/** The project's code for worker processes. A module is imported on first use; an exception is an error of the project. */
export function loadCode(stateDir: string, manifest: Manifest): ProjectCode {
  const buildDir = join(stateDir, manifest.folder);
  const mapper = createStackMapper({ buildDir, projectDir: dirname(stateDir) });

  /**
   * The results of `make` for the modules of these entries, by name. They are cached, because every run needs its code
   * and Node resolves a module on each import. A failed load is retried.
   */
  function loaderOf<T>(
    entries: readonly (readonly [name: string, module: string])[],
    make: (name: string, definition: unknown) => T,
  ): (name: string) => Promise<T | null> {
    const modules = new Map(entries);
    const loaded = new Map<string, Promise<T>>();
    return async (name) => {
      const module = modules.get(name);
      if (module === undefined) return null;
      const loading =
        loaded.get(name) ?? importDefault(join(buildDir, module)).then((definition) => make(name, definition));
      loaded.set(name, loading);
      loading.catch(() => loaded.delete(name));
      return await loading;
    };
  }

  const exported = new Map(manifest.triggers.map((trigger) => [trigger.attachmentId, trigger]));
  return {
    manifest,
    mapStack: mapper.mapStack,
    excerptOf: mapper.excerptOf,
    workflow: loaderOf(
      manifest.workflows.map(({ slug, module }) => [slug, module]),
      toWorkflow,
    ),
    agent: loaderOf(
      manifest.agents.map(({ slug, module }) => [slug, module]),
      (slug, definition) => {
        if (!isAgent(definition)) throw missing(`agent ${slug}`);
        return toAgent(slug, definition);
      },
    ),
    trigger: loaderOf(
      manifest.triggers.map(({ attachmentId, module }) => [attachmentId, module]),
      (attachmentId, definition) => toTrigger(attachmentId, definition, exported.get(attachmentId)),
    ),
  };
}

async function importDefault(file: string): Promise<unknown> {
  const loaded: { default?: unknown } = await import(/* @vite-ignore */ pathToFileURL(file).href);
  return loaded.default;
}

function toWorkflow(slug: string, definition: unknown): LoadedWorkflow {
  if (!isWorkflow(definition) || !isSchema(definition.input)) throw missing(`workflow ${slug}`);
  return {
    slug,
    input: definition.input,
    output: isSchema(definition.output) ? definition.output : null,
    // The workflow's schema has already parsed the input, so it has the declared type.
    run: (input, ctx) => definition.run(input as never, ctx as never),
    onFailure: toOnFailure(definition),
  };
}

function toTrigger(attachmentId: string, definition: unknown, exported: ExportedFields | undefined): LoadedTrigger {
  const trigger = readTriggerExport(definition);
  if (!trigger || !isSchema(trigger.source.request)) throw missing(`trigger ${attachmentId}`);
  const { transform, prompt, source } = trigger;
  return {
    request: trigger.source.request,
    ...readFieldsSchemas(exported, source),
    proofHeaders: source.verify?.proofHeaders ?? [],
    transform: transform ? (payload, context) => transform(payload as never, context as never) : null,
    prompt: prompt ?? null,
  };
}

function missing(what: string): ProjectError {
  return new ProjectError(`The build does not contain the ${what} of its manifest. Run \`signalbox build\`.`);
}

/** An agent's definition as used by workers. */
export function toAgent(slug: string, definition: AgentDefinition): LoadedAgent {
  return {
    slug,
    model: toModel(definition.model),
    instructions: definition.instructions,
    tools: new Map(Object.entries(definition.tools).map(([name, tool]) => [name, toTool(tool)])),
    output: isSchema(definition.output) ? definition.output : null,
    onFailure: toOnFailure(definition),
  };
}

function toOnFailure({ onFailure }: Pick<AgentDefinition, "onFailure">): LoadedWorkflow["onFailure"] {
  return onFailure ? (run, ctx) => onFailure(run as never, ctx as never) : null;
}

export function toModel(model: AgentDefinition["model"]): LanguageModel {
  return {
    provider: model.provider,
    modelId: model.modelId,
    async stream(request) {
      const result: unknown = await model.doStream(request as never);
      const stream = typeof result === "object" && result !== null && "stream" in result ? result.stream : null;
      if (stream instanceof ReadableStream) return stream;
      throw new TypeError(`The model ${model.modelId} of ${model.provider} returned no stream.`);
    },
  };
}

function toTool(tool: ToolLike): LoadedTool {
  const { needsApproval } = tool;
  return {
    parse: (input) => parseArguments(tool.inputSchema, input),
    needsApproval:
      typeof needsApproval === "function"
        ? async (input, options) => Boolean(await needsApproval.call(tool, input, options))
        : null,
    execute: (input, options) => tool.execute?.(input as never, options as never),
    policy: tool.policy,
  };
}

type Parsed = Awaited<ReturnType<LoadedTool["parse"]>>;

/** Validates with Zod, with a schema of the AI SDK (`validate`), or not at all. */
async function parseArguments(schema: unknown, input: Json): Promise<Parsed> {
  const made: unknown = typeof schema === "function" ? schema() : schema;
  if (hasAsyncParse(made)) return toParsed(await made.safeParseAsync(input));
  if (typeof made !== "object" || made === null || !("validate" in made) || typeof made.validate !== "function")
    return { isValid: true, input };
  const result: unknown = await made.validate(input);
  if (typeof result !== "object" || result === null || !("success" in result)) return { isValid: true, input };
  if (result.success === true) return { isValid: true, input: "value" in result ? result.value : input };
  return {
    isValid: false,
    why: "error" in result && result.error instanceof Error ? result.error.message : "The arguments do not parse.",
  };
}

interface AsyncSchema {
  safeParseAsync(
    value: unknown,
  ): Promise<
    | { success: true; data: unknown }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } }
  >;
}

/** Every Zod schema has it in addition to `safeParse`. */
function hasAsyncParse(schema: unknown): schema is AsyncSchema {
  return isSchema(schema) && "safeParseAsync" in schema && typeof schema.safeParseAsync === "function";
}

function toParsed(result: Awaited<ReturnType<AsyncSchema["safeParseAsync"]>>): Parsed {
  if (result.success) return { isValid: true, input: result.data };
  const lines = result.error.issues
    .slice(0, 20)
    .map(({ path, message }) => `${toPointer(path) || "(the arguments)"}: ${message}`);
  return { isValid: false, why: lines.join("; ") };
}
