import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import type { Scope } from "../contract/access/scope.ts";
import { packageVersion } from "../paths.ts";
import { explainMarks, renderResult, type ToolResult } from "./marked-data.ts";
import { type CallService, createServiceApi, describeProblem, type ServiceApi, ServiceProblem } from "./service-api.ts";
import { type Tool, toolsWithin } from "./tool.ts";
import { tools } from "./tools/all-tools.ts";

/** The client of the tools, and its access to a service. */
export interface ToolClient {
  /** It sees no tool that needs more. */
  scope: Scope;
  call: CallService;
  /** The reason of an expected failure, in our own words; `null`: the failure is a defect. */
  describeFailure?: (error: unknown) => string | null;
  /** Reports a defect. The model learns no details. */
  onDefect(error: unknown): void;
}

const instructions = [
  "Signalbox receives webhooks, evaluates them by the triggers of a TypeScript project, and starts durable workflows.",
  "To find out why something did or did not happen: search_deliveries, then explain_delivery, then get_run.",
  "To change a trigger: edit its file, build the project, then test_trigger and backtest.",
  explainMarks,
].join("\n");

/** A server of the Model Context Protocol with the tools of one client. Serves one connection or one request. */
export function createToolServer(client: ToolClient): McpServer {
  const api = createServiceApi(client.call);
  const server = new McpServer(
    { name: "signalbox", title: "Signalbox", version: packageVersion() },
    { instructions, capabilities: { tools: { listChanged: false } } },
  );
  for (const tool of toolsWithin(client.scope, tools)) {
    const { name, title, description, input: inputSchema, isReadOnly } = tool;
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema,
        // Runs of workflows can do anything, and a second call starts another one.
        annotations: {
          title,
          readOnlyHint: isReadOnly,
          destructiveHint: !isReadOnly,
          idempotentHint: isReadOnly,
          openWorldHint: !isReadOnly,
        },
      },
      (input) => answerCall({ tool, input, api, client }),
    );
  }
  return server;
}

async function answerCall(p: {
  tool: Tool;
  input: unknown;
  api: ServiceApi;
  client: ToolClient;
}): Promise<CallToolResult> {
  try {
    return { content: [{ type: "text", text: renderResult(await p.tool.call(p.input, p.api)) }] };
  } catch (error) {
    return { content: [{ type: "text", text: renderResult(describeError(error, p.client)) }], isError: true };
  }
}

function describeError(error: unknown, { describeFailure, onDefect }: ToolClient): ToolResult {
  if (error instanceof ServiceProblem) return describeProblem(error);
  const reason = describeFailure?.(error) ?? null;
  if (reason !== null) return { facts: [reason] };
  onDefect(error);
  return { facts: ["The tool failed because of a defect in Signalbox. Its log has the details."] };
}
