/** Executes docs/tutorial.md from top to bottom in a new project, as a reader does. */
import { createHmac } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readBlocks } from "../scripts/doc-blocks.ts";
import { waitForRun } from "./support/api.ts";
import { copyStarter, writeFiles } from "./support/project.ts";
import { createReaderShell } from "./support/reader-shell.ts";
import { type Service, signalbox, startService } from "./support/service.ts";

/** What differs each time: dates, and the width of columns. */
const normal = (text: string) =>
  text
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, "DATE")
    .replaceAll(/[ \t]+/g, " ")
    .trim();

it("every command and file of docs/tutorial.md does what the page says, from the first payload to a deployed service that checks signatures", async () => {
  const projectDir = copyStarter();
  const shell = createReaderShell(projectDir);
  let service: Service | undefined;
  let isStale = false;
  let printed = "";
  const outputs: { shown: string; got: string }[] = [];
  for (const { language, text, before, mark } of readBlocks("docs/tutorial.md")) {
    if (mark !== null) continue;
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
        } else printed += shell(line, service?.url ?? "");
      }
    } else outputs.push({ shown: normal(text), got: normal(printed) });
  }
  expect(outputs.map(({ got }) => got)).toEqual(outputs.map(({ shown }) => shown));

  if (!service) throw new Error("The tutorial serves nothing");
  expect(printed).toContain("✓ triggers: all enabled");
  const [url = ""] = printed.split("\n");
  const order = readFileSync(join(projectDir, "requests/order-paid.json"), "utf8");
  const body = order.replace("evt_2044", "evt_2045");
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
  const { runId } = (await response.json()) as { runId: string };
  const key = new URL(url).searchParams.get("token") ?? "";
  expect(await waitForRun(service, runId, { "x-api-key": key })).toMatchObject({
    status: "completed",
    output: { pieces: 13 },
  });
  expect(readFileSync(join(projectDir, "outbox/A-1042.txt"), "utf8")).toBe("12 × pencil\n1 × notebook");
});

/** Waits until `dev` serves the files as they are. The id of a build is a hash of its content. */
async function untilServed(service: Service, projectDir: string): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), "signalbox-tutorial-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(projectDir, copy, { recursive: true, filter: (path) => !path.endsWith(".signalbox") });
  const { version } = JSON.parse(signalbox(["build", "--json"], { cwd: copy }).stdout) as { version: string };
  await expect.poll(() => service.output()).toContain(`rebuilt as ${version}`);
}
