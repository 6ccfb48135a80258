import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Manifest } from "../contract/manifest.ts";
import type { LoadedTrigger, LoadedWorkflow, ProjectCode } from "../ports/project.ts";
import { isAgent, isSchema, isTrigger, isWorkflow } from "./definitions.ts";
import { toAgent } from "./load-agent.ts";
import { createStackMapper } from "./map-stack.ts";
import { ProjectError } from "./project-error.ts";

/** The project's code for worker processes. A module is imported when it is first asked for; what it throws then is the user's own error. */
export async function loadCode(stateDir: string, manifest: Manifest): Promise<ProjectCode> {
  const buildDir = join(stateDir, manifest.folder);
  const mapper = createStackMapper({ buildDir, projectDir: dirname(stateDir) });

  async function importDefault(module: string): Promise<unknown> {
    const loaded: { default?: unknown } = await import(/* @vite-ignore */ pathToFileURL(join(buildDir, module)).href);
    return loaded.default;
  }

  return {
    manifest,
    mapStack: mapper.mapStack,
    excerptOf: mapper.excerptOf,
    async workflow(slug) {
      const entry = manifest.workflows.find((workflow) => workflow.slug === slug);
      return entry ? toWorkflow(slug, await importDefault(entry.module)) : null;
    },
    async agent(slug) {
      const entry = manifest.agents.find((agent) => agent.slug === slug);
      const definition = entry ? await importDefault(entry.module) : null;
      if (entry && !isAgent(definition)) throw missing(`agent ${slug}`);
      return isAgent(definition) ? toAgent(slug, definition) : null;
    },
    async trigger(attachmentId) {
      const entry = manifest.triggers.find((trigger) => trigger.attachmentId === attachmentId);
      return entry ? toTrigger(attachmentId, await importDefault(entry.module)) : null;
    },
  };
}

function toWorkflow(slug: string, definition: unknown): LoadedWorkflow {
  if (!isWorkflow(definition) || !isSchema(definition.input)) throw missing(`workflow ${slug}`);
  return {
    slug,
    input: definition.input,
    output: isSchema(definition.output) ? definition.output : null,
    // The input was parsed by the workflow's own schema before: what the user's types say of it holds.
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
  return new ProjectError(`The build does not hold the ${what} of its manifest. Run \`signalbox build\`.`);
}
