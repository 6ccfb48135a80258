import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe } from "vitest";
import { test } from "../testing/supervisor-harness.ts";

const ways: { name: string; hang: NodeJS.Signals; end: string }[] = [
  { name: "is stopped", hang: "SIGSTOP", end: "as if stopped by SIGSTOP" },
  { name: "is blocked", hang: "SIGUSR2", end: "because its event loop was blocked" },
];
const programs = [
  { program: "web", name: "web process" },
  { program: "receiver", name: "receiver" },
] as const;
const hangs = programs.flatMap((child) => ways.map((way) => ({ child, way, title: `${child.name} that ${way.name}` })));

describe.concurrent("a process that does not respond", () => {
  test.for(hangs)(
    "the $title: is killed, reported, and restarted; code continues meanwhile, and the other process keeps running",
    async ({ child: { program, name }, way }, { startService, expect }) => {
      const blockOnSignal = pathToFileURL(join(import.meta.dirname, "../testing/block-on-signal.mjs")).href;
      const { supervisor, call, notices, startRun, project, ended, pidOf } = await startService(
        { work: { code: `mark("begun"); await until(() => marks().includes("go on")); mark("went on"); return 1;` } },
        { env: { NODE_OPTIONS: `--import=${blockOnSignal}` } },
      );
      await startRun("work");
      await expect.poll(() => project.marks()).toContain("begun");
      // The receiver begins to watch its event loop with the first webhook.
      await fetch(`${supervisor.url}/triggers/nowhere`, { method: "POST" });
      const hung = pidOf(program);
      const other = pidOf(program === "web" ? "receiver" : "web");
      process.kill(hung, way.hang);
      await appendFile(join(project.dir, "marks.txt"), "go on\n");
      await expect.poll(() => project.marks()).toContain("went on");
      // Without the receiver, nothing is written.
      if (program === "web") await expect.poll(() => ended).toHaveLength(1);
      expect(notices).toEqual([]);
      await expect
        // A blocked process that waits for a processor counts as one that waits.
        .poll(() => notices.join("\n"), { timeout: 180_000 })
        .toMatch(
          new RegExp(`^The ${name} did not respond for \\d+ s, ${way.end}, and was ended\\. It restarts\\.$`, "m"),
        );
      await expect
        .poll(() =>
          call("GET", "/runs").then(
            ({ status }) => status,
            () => 0,
          ),
        )
        .toBe(200);
      await expect.poll(() => ended).toMatchObject([{ status: "completed", attempt: 1 }]);
      expect(pidOf(program)).not.toBe(hung);
      expect(pidOf(program === "web" ? "receiver" : "web")).toBe(other);
      await expect.poll(() => fetch(`${supervisor.url}/readyz`).then(({ status }) => status)).toBe(200);
    },
  );
});
