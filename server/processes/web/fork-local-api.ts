import { fork } from "node:child_process";
import { once } from "node:events";
import { SettingsError } from "../../config/environment.ts";
import { AppError } from "../../contract/app-error.ts";
import { entryFile } from "../../paths.ts";
import { ProjectError } from "../../project/read-manifest.ts";

export interface LocalApiStart {
  projectDir: string;
  /** The public URL of the service, for links. */
  url: string;
  isReplacingSecret: boolean;
}

export interface LocalApiRequest {
  id: number;
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | null;
  serviceUrl: string;
}

export type LocalApiMessage =
  | { type: "open" }
  | LocalApiFailure
  | { type: "response"; id: number; status: number; body: string };

/** The reason why the API could not be opened. */
export type LocalApiFailure =
  | ({ type: "failed"; kind: "app"; message: string; fix?: string | undefined } & Pick<AppError, "code" | "errors">)
  | { type: "failed"; kind: "settings" | "build" | "other"; message: string };

export interface LocalApi {
  /** `serviceUrl`: the public URL of the service, for links. */
  fetch(request: Request, p?: { serviceUrl: string }): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Opens the REST API of this machine (`openLocalApi`) in a process of its own. Long-running commands use it, so that
 * they load neither the store nor the API. Rejects as `openLocalApi` does.
 */
export async function forkLocalApi(start: LocalApiStart): Promise<LocalApi> {
  const child = fork(entryFile("local-api"), [], { execArgv: [], stdio: ["ignore", 2, 2, "ipc"] });
  const exited = once(child, "exit");
  const waiting = new Map<number, PromiseWithResolvers<Response>>();
  const opened = Promise.withResolvers<void>();
  let requests = 0;

  child.on("error", opened.reject);
  child.on("message", (message: LocalApiMessage) => {
    if (message.type === "open") return opened.resolve();
    if (message.type === "failed") return opened.reject(restoreError(message));
    waiting.get(message.id)?.resolve(new Response(message.body, { status: message.status }));
    waiting.delete(message.id);
  });
  child.once("exit", (code) => {
    const error = new Error(`The process that reads the store ended with ${code ?? "a signal"}.`);
    opened.reject(error);
    for (const { reject } of waiting.values()) reject(error);
  });

  async function close(): Promise<void> {
    if (child.connected) child.disconnect();
    await exited;
  }

  child.send(start);
  await opened.promise.catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    async fetch(request, { serviceUrl } = { serviceUrl: start.url }) {
      requests += 1;
      const id = requests;
      const answered = Promise.withResolvers<Response>();
      waiting.set(id, answered);
      const sent: LocalApiRequest = {
        id,
        url: request.url,
        method: request.method,
        headers: Object.fromEntries(request.headers),
        body: request.body === null ? null : await request.text(),
        serviceUrl,
      };
      child.send(sent);
      return await answered.promise;
    },
    close,
  };
}

function restoreError(failed: LocalApiFailure): Error {
  if (failed.kind === "app") {
    const { code, message, errors, fix } = failed;
    return new AppError(code, message, { errors, ...(fix !== undefined && { fix }) });
  }
  if (failed.kind === "settings") return new SettingsError(failed.message);
  return failed.kind === "build" ? new ProjectError(failed.message) : new Error(failed.message);
}
