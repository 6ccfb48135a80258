import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, vi } from "vitest";
import { test } from "./testing/supervisor-harness.ts";

// Processes start slowly on a machine that is busy; and a web process is given time to wake.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 30_000 });

const ways: { name: string; hang: NodeJS.Signals; notice: RegExp }[] = [
  {
    name: "is stopped (SIGSTOP)",
    hang: "SIGSTOP",
    notice: /The web process did not respond for \d+ s, as if stopped by SIGSTOP, and was ended\. It restarts\./,
  },
  {
    name: "has its event loop blocked",
    hang: "SIGUSR2",
    notice:
      /The web process did not respond for \d+ s, because its event loop was blocked, and was ended\. It restarts\./,
  },
];

describe.concurrent("a web process that does not respond", () => {
  test.for(ways)(
    "because it $name: is ended, reported, and started again; runs continue meanwhile",
    async ({ hang, notice }, { startService, expect }) => {
      const blockOnSignal = pathToFileURL(join(import.meta.dirname, "testing/block-on-signal.mjs")).href;
      const { supervisor, call, notices, startRun, project, ended, webPid } = await startService(
        { work: { code: `mark("begun"); await until(() => marks().includes("go on")); return 1;` } },
        { env: { NODE_OPTIONS: `--import=${blockOnSignal}` } },
      );
      await startRun("work");
      await expect.poll(() => project.marks(), { timeout: 20_000 }).toContain("begun");
      const hung = webPid();
      process.kill(hung, hang);
      await appendFile(join(project.dir, "marks.txt"), "go on\n");
      await expect.poll(() => ended, { timeout: 20_000 }).toMatchObject([{ status: "completed", attempt: 1 }]);
      expect(notices).toEqual([]);
      await expect.poll(() => notices.join("\n"), { timeout: 60_000 }).toMatch(notice);
      await expect
        .poll(
          () =>
            call("GET", "/runs").then(
              ({ status }) => status,
              () => 0,
            ),
          { timeout: 30_000 },
        )
        .toBe(200);
      expect(webPid()).not.toBe(hung);
      expect((await fetch(`${supervisor.url}/readyz`)).status).toBe(200);
    },
  );
});
