import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyStarter } from "../support/project.ts";
import { signalbox, startService } from "../support/service.ts";

it("a second `signalbox dev` of a project is rejected, names the running process, and does not affect it", async () => {
  const projectDir = copyStarter();
  const first = await startService({ projectDir, command: "dev" });
  const announced = () => readFileSync(join(projectDir, ".signalbox/server.json"), "utf8");
  const before = announced();
  const second = signalbox(["dev", "--project", projectDir, "--port", "0"], { cwd: projectDir });
  expect(second.status).toBe(1);
  expect(second.stderr).toContain(
    `\`signalbox dev\` already serves this project on ${first.url} (process ${first.child.pid}).`,
  );
  expect(second.stderr).not.toMatch(/^\s+at /m);
  expect(announced()).toBe(before);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  await first.killGroup();
  // The file that a killed service leaves behind does not block another.
  const third = await startService({ projectDir, command: "dev" });
  expect(await third.stop()).toBe(0);
});
