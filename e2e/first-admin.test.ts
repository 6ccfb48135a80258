import { expect, it, vi } from "vitest";
import { copyStarter } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";
import { inTerminal } from "./support/terminal.ts";

const patient = { timeout: 180_000 };
const setUpLink = /http:\/\/\S+\/setup\/[\w-]+/;

function build(): string {
  const projectDir = copyStarter();
  expect(signalbox(["build", "--project", projectDir], { cwd: projectDir }).status).toBe(0);
  return projectDir;
}

it("the link for the first admin is in no log; the log names the command that creates one, also at level `warn`", async () => {
  const projectDir = build();
  const service = await startService({ projectDir, command: "start", env: { SIGNALBOX_LOG_LEVEL: "warn" } });
  await vi.waitFor(() => expect(service.output()).toContain("signalbox people setup-link"), patient);
  const [line] = service
    .output()
    .split("\n")
    .filter((text) => text.includes("setup-link"));
  expect(JSON.parse(line ?? "")).toMatchObject({ level: "warn", process: "supervisor" });
  expect(service.output()).not.toMatch(setUpLink);
  const link = signalbox(["people", "setup-link", "--project", projectDir], { cwd: projectDir }).stdout.trim();
  expect(link).toMatch(setUpLink);
  expect((await fetch(link)).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(service.output()).not.toMatch(setUpLink);
});

it("the link is shown at a terminal", async () => {
  const service = await startService({ projectDir: build(), command: "start", program: inTerminal });
  const link = await vi.waitFor(() => {
    const [found] = setUpLink.exec(service.output()) ?? [];
    if (found === undefined) throw new Error(`No link:\n${service.output()}`);
    return found;
  }, patient);
  const page = await fetch(link);
  expect([page.status, (await page.text()).includes("password")]).toEqual([200, true]);
});
