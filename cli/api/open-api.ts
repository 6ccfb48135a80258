import { Failure } from "../terminal/failure.ts";
import { type ApiClient, type ApiTransport, createApiClient } from "./api-client.ts";
import { noResponse } from "./no-response.ts";
import { buildChangedSignal, findRunningServer, readClientSettings } from "./running-server.ts";

export interface OpenedApi {
  client: ApiClient;
  close(): Promise<void>;
}

/**
 * The API of the service at SIGNALBOX_URL. Without it, the API of the project on this machine, in this process and on
 * the project's own store.
 */
export async function openApi(projectDir: string): Promise<OpenedApi> {
  const remote = readClientSettings();
  if (remote) return { client: createApiClient(createRemoteTransport(remote)), close: async () => {} };
  // Loaded lazily, so that `--help` does not wait for a store.
  const { openLocalApi } = await import("../../server/processes/web/open-local-api.ts");
  const running = findRunningServer(projectDir);
  const onBuildChanged = () => running && process.kill(running.pid, buildChangedSignal);
  const local = await openLocalApi({ projectDir, running: running && { ...running, onBuildChanged } });
  return { client: createApiClient((request) => local.fetch(request)), close: () => local.close() };
}

/** Sends requests to SIGNALBOX_URL with the API token. It follows no redirect, which could leak the token. */
export function createRemoteTransport(remote: { url: string; token: string | null }): ApiTransport {
  return async (request) => {
    const headers = new Headers(request.headers);
    if (remote.token) headers.set("authorization", `Bearer ${remote.token}`);
    const { pathname, search } = new URL(request.url);
    const body = request.method === "GET" ? null : await request.text();
    try {
      const response = await fetch(remote.url + pathname + search, {
        method: request.method,
        headers,
        body,
        redirect: "manual",
      });
      if (response.status < 300 || response.status >= 400) return response;
    } catch (cause) {
      throw noResponse(remote.url, cause);
    }
    throw new Failure(`${remote.url} responds with a redirect.`, {
      code: "unexpected_answer",
      fix: "Set SIGNALBOX_URL to the target of the redirect.",
    });
  };
}
