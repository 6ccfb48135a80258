import { z } from "zod";
import { scopeSchema } from "../../../server/contract/access/scope.ts";
import { type ApiTransport, createApiClient } from "../../api/api-client.ts";
import { createRemoteTransport } from "../../api/open-api.ts";
import { readClientSettings } from "../../api/running-server.ts";
import { toFailure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import { type CommandContext, type CommandRunner, requireProject } from "../command-context.ts";

export function registerMcp(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("mcp", "Serve tools for coding agents on stdin and stdout (Model Context Protocol)", [
      "signalbox mcp",
      "signalbox mcp --read-only",
    ])
    .option("--read-only", "Only the tools that change nothing")
    .action(runner.action(serveMcp));
}

async function serveMcp(context: CommandContext, { readOnly = false }: { readOnly?: boolean }): Promise<void> {
  const { call, scope, close } = await openService(context.projectDir);
  const { serveTools } = await import("../../../server/mcp/serve-stdio.ts");
  if (process.stdin.isTTY)
    context.notify(
      "Waiting for a client of the Model Context Protocol on stdin. Configure this command in your coding agent.",
    );
  try {
    await serveTools(
      {
        scope: readOnly ? "read" : scope,
        call,
        describeFailure(error) {
          const failure = toFailure(error);
          return failure && [failure.message, failure.details.fix ?? ""].join(" ").trim();
        },
        onDefect: (error) => context.notify(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      },
      { input: process.stdin, output: process.stdout },
    );
  } finally {
    await close();
  }
}

// Both are loaded lazily, because other commands do not need them.

/** The service at SIGNALBOX_URL, with the scope of its token. Default: the project on this machine, without limits. */
async function openService(projectDir: string) {
  const remote = readClientSettings();
  if (!remote) {
    requireProject(projectDir);
    const { openLocalTransport } = await import("./local-transport.ts");
    return { ...openLocalTransport(projectDir), scope: "admin" as const };
  }
  const call: ApiTransport = createRemoteTransport(remote);
  const { scope } = await createApiClient(call).request({ path: "/access", answer: z.object({ scope: scopeSchema }) });
  return { call, scope, close: async () => {} };
}
