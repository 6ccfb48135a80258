import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Manifest } from "../contract/manifest.ts";
import type { LoadedTrigger, LoadedWorkflow, ProjectCode } from "../ports/project.ts";
import { isAgent, isSchema, isTrigger, isWorkflow } from "./definitions.ts";
import { toAgent } from "./load-agent.ts";
import { createStackMapper } from "./map-stack.ts";
import { ProjectError } from "./project-error.ts";

/** The project's code for worker processes. A module is imported on first use; an exception is an error of the project. */
export async function loadCode(stateDir: string, manifest: Manifest): Promise<ProjectCode> {
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
      toTrigger,
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
  };
}

function toTrigger(attachmentId: string, definition: unknown): LoadedTrigger {
  if (!isTrigger(definition) || !isSchema(definition.source.request)) throw missing(`trigger ${attachmentId}`);
  const { transform, prompt } = definition;
  return {
    request: definition.source.request,
    transform: transform ? (payload) => transform(payload as never) : null,
    prompt: prompt ?? null,
  };
}

function missing(what: string): ProjectError {
  return new ProjectError(`The build does not contain the ${what} of its manifest. Run \`signalbox build\`.`);
}
