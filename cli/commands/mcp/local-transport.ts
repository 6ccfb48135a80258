import { statSync } from "node:fs";
import { join } from "node:path";
import { stateDirOf } from "../../../server/config.ts";
import { forkLocalApi, type LocalApi } from "../../../server/processes/web/fork-local-api.ts";
import type { ApiTransport } from "../../api/api-client.ts";
import { findRunningServer } from "../../api/running-server.ts";
import { Failure, toFailure } from "../../terminal/failure.ts";

interface Opened {
  /** The build that it has loaded, and the service that it belongs to. */
  state: string;
  api: Promise<LocalApi>;
  requests: number;
}

/**
 * The REST API of a project on this machine, for a process that stays open. It runs in a process of its own, because it
 * loads the project's code, which may print to stdout. After a new build, the next request opens it again.
 */
export function openLocalTransport(projectDir: string): { call: ApiTransport; close(): Promise<void> } {
  let current: Opened | null = null;

  function open(state: string): Opened {
    const url = findRunningServer(projectDir)?.url ?? "http://127.0.0.1:3000";
    return { state, api: forkLocalApi({ projectDir, url, isReplacingSecret: false }), requests: 0 };
  }

  /** Its requests in progress are answered first. */
  async function retire(opened: Opened): Promise<void> {
    if (current === opened) current = null;
    if (opened.requests > 0) return;
    await opened.api.then(
      (api) => api.close(),
      () => {},
    );
  }

  return {
    async call(request) {
      const state = readState(projectDir);
      if (current && current.state !== state) await retire(current);
      const opened = (current ??= open(state));
      opened.requests += 1;
      try {
        return await (await opened.api).fetch(request);
      } catch (error) {
        // The next request starts another process.
        if (current === opened) current = null;
        throw toFailure(error) ?? new Failure(String(error), { code: "unusable_project", cause: error });
      } finally {
        opened.requests -= 1;
        if (current !== opened) await retire(opened);
      }
    },
    close: async () => {
      if (current) await retire(current);
    },
  };
}

/** Changes with each build and each start of the service. */
function readState(projectDir: string): string {
  const manifest = statSync(join(stateDirOf(projectDir), "manifest.json"), { throwIfNoEntry: false });
  return `${manifest?.mtimeMs} ${findRunningServer(projectDir)?.pid}`;
}
