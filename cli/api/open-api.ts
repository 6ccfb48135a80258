import { readClientSettings } from "../../server/config.ts";
import { type ApiClient, createApiClient } from "./api-client.ts";
import { createRemoteTransport } from "./remote-transport.ts";
import { findRunningServer } from "./running-server.ts";

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
  const { openLocalApi } = await import("../../server/main.ts");
  const local = await openLocalApi({ projectDir, running: findRunningServer(projectDir) });
  return { client: createApiClient((request) => local.fetch(request)), close: () => local.close() };
}
