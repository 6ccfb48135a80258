import type { z } from "zod";
import { operations, type ScopedOperationId } from "../auth/access/operations.ts";
import { includesScope, type Scope, scopeSchema } from "../contract/access/scope.ts";
import type { ToolResult } from "./marked-data.ts";
import type { ServiceApi } from "./service-api.ts";

/** One tool, the same for every transport. */
export interface Tool {
  /** In snake_case. */
  name: string;
  title: string;
  /** For the model: what it does, and when to use it. */
  description: string;
  input: z.ZodObject;
  /** The scope that its operations need. */
  scope: Scope;
  /** Whether none of its operations changes anything. */
  isReadOnly: boolean;
  /** `input` is what the schema returned. Throws ServiceProblem. */
  call(input: unknown, api: ServiceApi): Promise<ToolResult>;
}

export function defineTool<Input extends z.ZodObject>({
  uses,
  call,
  ...tool
}: Pick<Tool, "name" | "title" | "description"> & {
  input: Input;
  /** The operations that it calls. The access table decides its scope by them. */
  uses: readonly ScopedOperationId[];
  call(input: z.output<Input>, api: ServiceApi): Promise<ToolResult>;
}): Tool {
  const scope = strictestScope(uses);
  return {
    ...tool,
    scope,
    isReadOnly: scope === "read",
    call: (input, api) => call(tool.input.parse(input), api),
  };
}

/** Tools without operations need what the endpoint needs. */
function strictestScope(uses: readonly ScopedOperationId[]): Scope {
  const needed = new Set<Scope>(["read", ...uses.map((id) => operations[id].access)]);
  return scopeSchema.options.findLast((scope) => needed.has(scope)) ?? "read";
}

/** The tools that a client with this scope may call. It does not see the others. */
export function toolsWithin(scope: Scope, tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => includesScope(scope, tool.scope));
}
