import { AxeBuilder } from "@axe-core/playwright";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { copyStarter, writeProject } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

describe("the page at /", () => {
  it("lists the triggers, and shows a run arrive and end without a reload", async () => {
    const service = await startService({ projectDir: copyStarter(), command: "dev" });
    const { page, errors, foreignRequests } = await visit(service.url);
    await page.goto(service.url);
    for (const text of ["/triggers/signup", "new-signup", "welcome-email", "invoice-paid", "ci-failed"]) {
      await page.getByText(text, { exact: false }).first().waitFor();
    }
    const response = await postJson(`${service.url}/triggers/signup`, { name: "Ada", email: "ada@example.com" });
    const { runId } = (await response.json()) as { runId: string };
    await page.locator(`a[href="/runs/${runId}"]`).first().waitFor();
    await waitForRun(service, runId);
    await page.locator(`a[href="/runs/${runId}"]`).getByText("completed").first().waitFor();
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it("shows a trigger a moment after its file is saved, without a reload", async () => {
    const projectDir = copyStarter();
    const service = await startService({ projectDir, command: "dev" });
    const { page, errors } = await visit(service.url);
    await page.goto(service.url);
    await page.getByText("live ·").waitFor();
    const before = await page.getByText("live ·").textContent();
    const text = readFileSync(join(projectDir, "triggers/new-signup.ts"), "utf8");
    writeFileSync(join(projectDir, "triggers/second-signup.ts"), text.replace("new-signup", "second-signup").replace(`endpoint: "signup"`, `endpoint: "signup-again"`));
    await page.getByText("/triggers/signup-again").first().waitFor();
    await vi.waitFor(async () => expect(await page.getByText("live ·").textContent()).not.toBe(before), { timeout: 10_000 });
    expect(errors).toEqual([]);
  });

  it("leads to the run and to its delivery, with timeline, verdicts and body", async () => {
    const service = await startService({ projectDir: copyStarter(), command: "dev" });
    const response = await postJson(`${service.url}/triggers/signup`, { name: "Ada <img src=x onerror=alert(1)>", email: "ada@example.com" });
    const { runId } = (await response.json()) as { runId: string };
    await waitForRun(service, runId);
    const { page, errors } = await visit(service.url);
    await page.goto(service.url);
    await page.locator(`a[href="/runs/${runId}"]`).first().click();
    await page.waitForURL(`**/runs/${runId}`);
    await page.getByText("onerror=alert(1)").first().waitFor();
    await page.locator(`a[href^="/deliveries/dlv_"]`).first().click();
    await page.waitForURL("**/deliveries/dlv_*");
    await page.getByText("matched").first().waitFor();
    await page.getByText("onerror=alert(1)").first().waitFor();
    expect(errors).toEqual([]);
  });

  it.each(["light", "dark"] as const)("has no serious accessibility fault in %s, and needs no sideways scrolling at 360 px", async (colorScheme) => {
    const service = await startService({ projectDir: copyStarter(), command: "dev" });
    const response = await postJson(`${service.url}/triggers/signup`, { name: "Ada", email: "ada@example.com" });
    const { runId } = (await response.json()) as { runId: string };
    await waitForRun(service, runId);
    const { page } = await visit(service.url, { colorScheme, viewport: { width: 360, height: 740 } });
    for (const path of ["/", `/runs/${runId}`, `/deliveries/${response.headers.get("signalbox-delivery")}`, "/errors/unauthorized"]) {
      await page.goto(service.url + path);
      await page.getByRole("heading").first().waitFor();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => [path, id, nodes[0]?.html])).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(overflow, path).toBeLessThanOrEqual(0);
    }
  });

  it("is sent with a strict Content-Security-Policy and the other headers that keep payloads harmless", async () => {
    const service = await startService({ projectDir: copyStarter(), command: "dev" });
    for (const [path, status] of [["/", 200], ["/runs/run_unknown", 404], ["/healthzfoo", 404], ["/api/unknown", 404]] as const) {
      const response = await fetch(service.url + path);
      expect(response.status, path).toBe(status);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy, path).toMatch(/script-src[^;]*'nonce-/);
      expect(policy).not.toMatch(/script-src[^;]*'unsafe-(inline|eval)'/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  it("is closed to strangers when deployed, and opens with an API token", async () => {
    const projectDir = copyStarter();
    const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
    expect(cli("build").status).toBe(0);
    const service = await startService({ projectDir, command: "start" });
    const url = cli("triggers", "url", "new-signup").stdout.trim();
    const { runId } = (await (await postJson(url, { name: "Ada", email: "ada@example.com" })).json()) as { runId: string };
    const { page, errors } = await visit(service.url);
    for (const path of ["/", `/runs/${runId}`]) {
      const answer = await page.goto(service.url + path);
      expect(await answer?.text()).not.toMatch(/new-signup|ada@example|welcome-email/);
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
    }
    const signInWith = async (token: string) => {
      await page.getByLabel("API token").fill(token);
      await page.getByRole("button", { name: "Sign in" }).click();
    };
    await signInWith(new URL(url).searchParams.get("token") ?? "");
    await page.getByRole("alert").filter({ hasText: "opens nothing" }).waitFor();
    await signInWith((JSON.parse(cli("keys", "create", "--api", "--json").stdout) as { secret: string }).secret);
    await page.locator(`a[href="/runs/${runId}"]`).first().click();
    await page.getByText("ada@example.com").first().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(errors).toEqual([]);
  });

  it("teaches the first request when nothing has arrived yet", async () => {
    const service = await startService({ projectDir: copyStarter(), command: "dev" });
    const { page } = await visit(service.url);
    await page.goto(service.url);
    const command = page.locator("pre", { hasText: "curl -i" }).first();
    await command.waitFor();
    await vi.waitFor(async () => expect(await command.textContent()).toContain(`${service.url}/triggers/`), { timeout: 10_000 });
  });

  it("shows a project's hostile names as text", async () => {
    const projectDir = writeProject({
      "signalbox.config.ts": `import { defineConfig } from "signalbox/config"; export default defineConfig({ name: "<script>alert(1)</script>" });`,
      "workflows/log.ts": `import { defineWorkflow } from "signalbox/workflow"; import { z } from "zod"; export default defineWorkflow({ slug: "log", input: z.json(), run() { throw new Error("<img src=x onerror=alert(2)>"); }, retries: { attempts: 1 } });`,
      "triggers/log.ts": `import { defineWebhookSource } from "signalbox/trigger"; import { z } from "zod"; import log from "../workflows/log"; export default defineWebhookSource({ slug: "log", endpoint: "log", request: z.looseObject({}) }).attach({ workflow: log });`,
    });
    const service = await startService({ projectDir, command: "dev" });
    const response = await postJson(`${service.url}/triggers/log`, { "<b>k</b>": "\u202e<svg onload=alert(3)>" });
    const { runId } = (await response.json()) as { runId: string };
    await waitForRun(service, runId);
    const { page, errors } = await visit(service.url);
    for (const path of ["/", `/runs/${runId}`, `/deliveries/${response.headers.get("signalbox-delivery")}`]) {
      await page.goto(service.url + path);
      await page.getByRole("heading").first().waitFor();
      expect(await page.locator("img[src=x], svg[onload], b:text-is('k')").count()).toBe(0);
    }
    expect(errors).toEqual([]);
  });
});
