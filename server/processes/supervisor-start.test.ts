import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { readSettings } from "../config.ts";
import { silentLogger } from "../ports/logger.ts";
import { startSupervisor } from "./supervisor.ts";
import { createProject } from "./testing/pool-harness.ts";

test("a start with a damaged manifest fails with the reason, without an unhandled rejection", async () => {
  const project = await createProject({ quick: { code: "return 1;" } });
  onTestFinished(project.remove);
  await writeFile(join(project.dir, ".signalbox", "manifest.json"), "{}");
  const unhandled = vi.fn<(reason: unknown) => void>();
  process.on("unhandledRejection", unhandled);
  onTestFinished(() => void process.off("unhandledRejection", unhandled));
  const env = { PATH: process.env["PATH"], SIGNALBOX_SECRET: "0123456789abcdef0123456789abcdef" };
  const settings = readSettings({
    projectDir: project.dir,
    mode: "development",
    fromProject: {},
    flags: { port: 0 },
    env,
  });
  const reporter = { delivery() {}, runEnded() {}, notice() {} };
  await expect(startSupervisor({ settings, env, reporter, logger: silentLogger })).rejects.toThrow(
    /manifest\.json is damaged/,
  );
  expect(unhandled).not.toHaveBeenCalled();
});
