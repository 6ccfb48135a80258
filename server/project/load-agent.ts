import type { AgentDefinition, ToolLike } from "../../sdk/definition.ts";
import type { Json } from "../contract/json.ts";
import { toPointer } from "../domain/json-pointer.ts";
import type { LanguageModel, LoadedTool } from "../ports/model.ts";
import type { LoadedAgent } from "../ports/project.ts";
import { isSchema } from "./definitions.ts";

/** An agent's definition as used by workers. */
export function toAgent(slug: string, definition: AgentDefinition): LoadedAgent {
  return {
    slug,
    model: toModel(definition.model),
    instructions: definition.instructions,
    tools: new Map(Object.entries(definition.tools).map(([name, tool]) => [name, toTool(tool)])),
    output: isSchema(definition.output) ? definition.output : null,
  };
}

function toModel(model: AgentDefinition["model"]): LanguageModel {
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
