import type { ToolLike } from "../../../sdk/definition.ts";
import { type JsonSchemaObject, jsonSchemaObjectSchema } from "../../../server/contract/json.ts";
import { exportSchema } from "../schema/export.ts";
import { isZod3, isZod4 } from "../schema/zod-node.ts";
import type { EvaluatedTool } from "./protocol.ts";

/**
 * The tools of an agent, as sent to the model. Their schemas can contain code, unlike those of a request: only the
 * model reads the export, and the schema itself parses the arguments.
 */
export async function evaluateTools(tools: Readonly<Record<string, ToolLike>>): Promise<EvaluatedTool[]> {
  return await Promise.all(
    Object.entries(tools).map(async ([name, tool]) => ({
      name,
      description: typeof tool.description === "string" ? tool.description : null,
      inputSchema: await exportToolSchema(tool.inputSchema),
      needsApproval:
        typeof tool.needsApproval === "function" ? "sometimes" : tool.needsApproval === true ? "always" : "never",
      approvalTimeout: typeof tool.approvalTimeout === "object" ? String(tool.approvalTimeout) : tool.approvalTimeout,
    })),
  );
}

async function exportToolSchema(schema: unknown): Promise<EvaluatedTool["inputSchema"]> {
  try {
    if (isZod4(schema) || isZod3(schema)) return { json: exportSchema(schema) };
    return { json: await readAiSchema(schema) };
  } catch (error) {
    return { problem: error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error) };
  }
}

/** The result of `jsonSchema(…)` of the AI SDK, or a function that returns one. */
async function readAiSchema(given: unknown): Promise<JsonSchemaObject> {
  const schema: unknown = typeof given === "function" ? given() : given;
  const json: unknown =
    typeof schema === "object" && schema !== null && "jsonSchema" in schema ? await schema.jsonSchema : null;
  const parsed = jsonSchemaObjectSchema.safeParse(json);
  if (!parsed.success) throw new Error("it is neither a Zod schema nor a schema of the AI SDK");
  return parsed.data;
}
