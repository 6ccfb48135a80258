import { SettingsError } from "../../config/environment.ts";
import { AppError } from "../../contract/app-error.ts";
import { openLocalApi } from "./open-local-api.ts";
import { ProjectError } from "../../project/read-manifest.ts";
import type { LocalApiFailure, LocalApiMessage, LocalApiRequest, LocalApiStart } from "./fork-local-api.ts";

/** The process with the REST API for the command that started it. It ends with the command. */
process.on("disconnect", () => process.exit(0));
// Ctrl-C reaches the whole process group: the command decides when this process ends.
process.on("SIGINT", () => {});
process.once("message", (start: LocalApiStart) => void serve(start));

async function serve({ projectDir, url, isReplacingSecret }: LocalApiStart): Promise<void> {
  const running = { mode: "deployed" as const, url };
  try {
    const api = await openLocalApi({ projectDir, running, isReplacingSecret });
    process.on("message", (request: LocalApiRequest) => {
      running.url = request.serviceUrl;
      void answer(api, request);
    });
    send({ type: "open" });
  } catch (error) {
    send(describeFailure(error));
  }
}

async function answer(api: { fetch(request: Request): Promise<Response> }, request: LocalApiRequest): Promise<void> {
  const response = await api.fetch(new Request(request.url, request));
  send({ type: "response", id: request.id, status: response.status, body: await response.text() });
}

function describeFailure(error: unknown): LocalApiFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof AppError)
    return { type: "failed", kind: "app", message, code: error.code, errors: error.errors, fix: error.fix };
  if (error instanceof SettingsError) return { type: "failed", kind: "settings", message };
  return { type: "failed", kind: error instanceof ProjectError ? "build" : "other", message };
}

function send(message: LocalApiMessage): void {
  process.send?.(message);
}
