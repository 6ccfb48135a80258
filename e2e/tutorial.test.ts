/** Executes docs/tutorial.md from top to bottom in a new project, as a reader does. */
import { createHmac } from "node:crypto";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { cleanEnvironment } from "../scripts/clean-environment.ts";
import { waitForRun } from "./support/api.ts";
import { cliFile, copyStarter, repository, writeFiles } from "./support/project.ts";
import { type Service, signalbox, startService } from "./support/service.ts";

const page = readFileSync(join(repository, "docs/tutorial.md"), "utf8");

/** The blocks that a reader can execute anywhere, each with the text before it. */
const blocks = [...page.matchAll(/^```(\w*)\n([^]*?)^```$/gm)]
  .map(({ 1: language = "", 2: text = "", index }) => ({
    language,
    text,
    before: page.slice(0, index).split("```").at(-1) ?? "",
  }))
  .filter(({ before }) => !/<!-- not run: .*-->\s*$/.test(before));

/** What differs each time: dates, and the width of columns. */
const normal = (text: string) =>
  text
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, "DATE")
    .replaceAll(/[ \t]+/g, " ")
    .trim();

it("every command and file of docs/tutorial.md does what the page says, from the first payload to a deployed service that checks signatures", async () => {
  const projectDir = copyStarter();
  symlinkSync(repository, join(projectDir, "node_modules/signalbox"));
  const env = { ...cleanEnvironment(), PATH: `${programsIn(projectDir)}${delimiter}${process.env["PATH"]}` };
  let service: Service | undefined;
  let isStale = false;
  let printed = "";
  const outputs: { shown: string; got: string }[] = [];
  for (const { language, text, before } of blocks) {
    if (language === "json") {
      writeFiles(projectDir, { [/`(requests\/[^`]+)`/.exec(before)?.[1] ?? ""]: text });
    } else if (language === "ts") {
      writeFiles(projectDir, { [/^\/\/ (\S+)/.exec(text)?.[1] ?? ""]: text.replace(/^.*\n/, "") });
      isStale = true;
    } else if (language === "sh") {
      if (service && isStale) await untilServed(service, projectDir);
      isStale = false;
      printed = "";
      for (const line of text.trim().split("\n")) {
        const [, command] = /^npx signalbox (dev|start)$/.exec(line) ?? [];
        if (command === "dev" || command === "start") {
          await service?.stop();
          service = await startService({ projectDir, command });
          continue;
        }
        const shell = ["-c", line.replaceAll("http://127.0.0.1:3002", service?.url ?? "")];
        const { status, stdout, stderr } = spawnSync("sh", shell, { cwd: projectDir, env, encoding: "utf8" });
        if (status !== 0) throw new Error(`${line} ended with ${status}:\n${stdout}${stderr}`);
        printed += stdout;
      }
    } else outputs.push({ shown: normal(text), got: normal(printed) });
  }
  expect(outputs.map(({ got }) => got)).toEqual(outputs.map(({ shown }) => shown));

  if (!service) throw new Error("The tutorial serves nothing");
  const [url = ""] = printed.split("\n");
  expect(printed).toContain("✓ triggers: all enabled");
  const body = readFileSync(join(projectDir, "requests/order-paid.json"));
  const secret = /^SHOP_SECRET=(.*)$/m.exec(readFileSync(join(projectDir, ".env"), "utf8"))?.[1] ?? "";
  const send = (signature: string) =>
    fetch(url, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", "x-shop-signature": signature },
    });
  expect((await send("00")).status).toBe(401);
  const response = await send(createHmac("sha256", secret).update(body).digest("hex"));
  expect(response.status).toBe(202);
  const accepted = (await response.json()) as { runId: string };
  const key = new URL(url).searchParams.get("token") ?? "";
  // The event of the tutorial, which `dev` has executed before, is a repeat.
  expect(response.headers.get("idempotent-replayed")).toBe("true");
  expect(await waitForRun(service, accepted.runId, { "x-api-key": key })).toMatchObject({
    status: "completed",
    output: { pieces: 13 },
  });
  expect(readFileSync(join(projectDir, "outbox/A-1042.txt"), "utf8")).toBe("12 × pencil\n1 × notebook");
});

/** A folder with an `npx` that runs this build of the command line. */
function programsIn(projectDir: string): string {
  const folder = join(projectDir, "node_modules/.programs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${cliFile}" "$@"\n`);
  chmodSync(join(folder, "npx"), 0o755);
  symlinkSync(process.execPath, join(folder, "node"));
  return folder;
}

/** Waits until `dev` serves the files as they are. The id of a build is a hash of its content. */
async function untilServed(service: Service, projectDir: string): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), "signalbox-tutorial-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(projectDir, copy, { recursive: true, filter: (path) => !path.endsWith(".signalbox") });
  const { version } = JSON.parse(signalbox(["build", "--json"], { cwd: copy }).stdout) as { version: string };
  await expect.poll(() => service.output(), { timeout: 30_000 }).toContain(`rebuilt as ${version}`);
}
