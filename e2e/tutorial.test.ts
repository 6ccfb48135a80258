/** Executes docs/tutorial.md from top to bottom in a new project, as a reader does. */
import { createHmac } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readBlocks } from "../scripts/doc-blocks.ts";
import type { Delivery } from "../server/contract/delivery.ts";
import { getJson, waitForRun } from "./support/api.ts";
import { copyStarter, writeFiles } from "./support/project.ts";
import { createReaderShell } from "./support/reader-shell.ts";
import { type Service, signalbox, startService } from "./support/service.ts";

/** What differs each time: dates, and the width of columns. */
const normal = (text: string) =>
  text
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, "DATE")
    .replaceAll(/[ \t]+/g, " ")
    .trim();

it("every command and file of docs/tutorial.md does what the page says, from the first payload to a rotated key and a lost webhook that is found", async () => {
  const projectDir = copyStarter();
  const shell = createReaderShell(projectDir);
  let service: Service | undefined;
  let isDevelopment = false;
  let isStale = false;
  /** By the last block of commands, and by all of them. */
  let printed = "";
  let transcript = "";
  /** By the last command that lists something: readers take ids from it. */
  let listed = "";
  const outputs: { shown: string; got: string }[] = [];
  for (const { language, text, before, mark } of readBlocks("docs/tutorial.md")) {
    if (mark !== null) continue;
    if (language === "json") {
      writeFiles(projectDir, { [/`(requests\/[^`]+)`/.exec(before)?.[1] ?? ""]: text });
    } else if (language === "ts") {
      writeFiles(projectDir, { [/^\/\/ (\S+)/.exec(text)?.[1] ?? ""]: text.replace(/^.*\n/, "") });
      isStale = true;
    } else if (language === "sh" && text.startsWith("# ")) {
      writeFiles(projectDir, { [/^# ([\w.-]+)/.exec(text)?.[1] ?? ""]: text });
    } else if (language === "sh") {
      if (service && isStale && isDevelopment) await untilServed(service, projectDir);
      isStale = false;
      printed = "";
      for (const line of text.trim().split("\n")) {
        const [, command] = /^npx signalbox (dev|start)$/.exec(line) ?? [];
        if (command === "dev" || command === "start") {
          await service?.stop();
          service = await startService({ projectDir, command });
          isDevelopment = command === "dev";
        } else {
          const output = shell(withIds(line, listed), service?.url ?? "");
          if (/^npx signalbox \w+ list\b/.test(line)) listed = output;
          printed += output;
        }
      }
      transcript += printed;
    } else outputs.push({ shown: normal(text), got: normal(printed) });
  }
  expect(outputs.map(({ got }) => got)).toEqual(outputs.map(({ shown }) => shown));
  expect(transcript).toContain("✓ triggers: all enabled");
  // The backtest of the corrected trigger.
  expect(transcript).toMatch(/^△ Build .*: \+1 −0\.$/m);
  const read = (file: string) => readFileSync(join(projectDir, file), "utf8");
  expect(read("outbox/A-1042.txt")).toBe("12 × pencil\n1 × notebook");

  // What the last sections promise: a webhook that was redelivered, a new key, and the old one beside it.
  const [oldKey = "", newKey = ""] = new Set(transcript.match(/(?<=\?token=)sbk_\w+/g));
  const url = service?.url ?? "";
  const token = { "x-api-key": shell("npx signalbox keys create --api --scope read", url).trim() };
  const redelivered = /dlv_\w+/.exec(printed)?.[0];
  const { verdicts } = await getJson<Delivery>(`${url}/api/v1/deliveries/${redelivered}`, token);
  expect(verdicts).toMatchObject([{ outcome: "matched", trigger: "orders" }]);
  expect((await waitForRun({ url }, verdicts[0]?.runId ?? "", token)).status).toBe("completed");
  expect(read("outbox/A-1043.txt")).toBe("2 × eraser");

  const body = read("requests/order-paid.json").replace("evt_2044", "evt_2047");
  const secret = /^SHOP_SECRET=(.*)$/m.exec(read(".env"))?.[1] ?? "";
  const send = (key: string, signature: string) =>
    fetch(`${url}/triggers/orders?token=${key}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", "x-shop-signature": signature },
    });
  expect((await send(newKey, "00")).status).toBe(401);
  const response = await send(oldKey, createHmac("sha256", secret).update(body).digest("hex"));
  expect(response.status).toBe(202);
  const { runId } = (await response.json()) as { runId: string };
  expect(await waitForRun({ url }, runId, token)).toMatchObject({
    status: "completed",
    output: { pieces: 13 },
  });
});

/** With the first id of a list in place of `key_…` and `dlv_…`. */
const withIds = (line: string, list: string) =>
  line.replaceAll(/\b(key|dlv)_…/g, (all, kind: string) => new RegExp(`${kind}_\\w+`).exec(list)?.[0] ?? all);

/** Waits until `dev` serves the files as they are. The id of a build is a hash of its content. */
async function untilServed(service: Service, projectDir: string): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), "signalbox-tutorial-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(projectDir, copy, { recursive: true, filter: (path) => !path.endsWith(".signalbox") });
  const { version } = JSON.parse(signalbox(["build", "--json"], { cwd: copy }).stdout) as { version: string };
  await expect.poll(() => service.output()).toContain(`rebuilt as ${version}`);
}
