import { describe, expect, it } from "vitest";
import { postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { copyStarter } from "./support/project.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { signalbox, startService } from "./support/service.ts";

describe("the HTTP headers and access of pages", () => {
  it("every page, also a missing one, has security headers that allow inline styles of elements and only Signalbox's own scripts", async () => {
    const service = await startService({ projectDir: copyStarter(), command: "dev" });
    const pages = [
      ["/", 200],
      ["/runs", 200],
      ["/runs/run_unknown", 404],
      ["/healthzfoo", 404],
      ["/api/unknown", 404],
    ] as const;
    for (const [path, status] of pages) {
      const response = await fetch(service.url + path);
      expect(response.status, path).toBe(status);
      const policy = new Map(
        (response.headers.get("content-security-policy") ?? "").split("; ").map((rule) => [rule.split(" ")[0], rule]),
      );
      expect(policy.get("default-src"), path).toBe("default-src 'none'");
      expect(policy.get("script-src"), path).toMatch(/^script-src 'self' 'nonce-[^']+' 'strict-dynamic'$/);
      expect(policy.get("style-src"), path).toMatch(/^style-src 'self' 'nonce-[^']+'$/);
      expect(policy.get("style-src-attr"), path).toBe("style-src-attr 'unsafe-inline'");
      expect(policy.get("connect-src"), path).toBe("connect-src 'self'");
      expect(policy.get("frame-ancestors"), path).toBe("frame-ancestors 'none'");
      expect(response.headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(response.headers.get("referrer-policy"), path).toBe("same-origin");
    }
  });

  it("a deployed service requires sign-in, and accepts an API token", async () => {
    const projectDir = copyStarter();
    const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
    expect(cli("build").status).toBe(0);
    const service = await startService({ projectDir, command: "start" });
    const url = cli("triggers", "url", "new-signup").stdout.trim();
    const { runId } = (await (await postJson(url, { name: "Ada", email: "ada@example.com" })).json()) as {
      runId: string;
    };
    const token = (
      JSON.parse(cli("keys", "create", "--api", "--scope", "admin", "--json").stdout) as { secret: string }
    ).secret;
    await waitForRun(service, runId, { authorization: `Bearer ${token}` });
    const { page, errors } = await visit(service.url);
    for (const path of ["/", "/deliveries", "/settings/audit", "/no-such-page", `/runs/${runId}`]) {
      const answer = await page.goto(service.url + path);
      expect(new URL(page.url()).pathname, path).toBe("/sign-in");
      expect(await answer?.text(), path).not.toMatch(/new-signup|ada@example|welcome-email/);
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
    }
    await page.goto(`${service.url}/errors/unauthorized`);
    await page.getByRole("heading", { name: "How to fix it" }).waitFor();
    expect(await page.content()).not.toMatch(/new-signup|ada@example|welcome-email/);
    await page.goto(`${service.url}/runs/${runId}`);
    const signInWith = (secret: string) => signInWithToken(page, secret);
    await signInWith(new URL(url).searchParams.get("token") ?? "");
    await page.getByRole("alert").filter({ hasText: "Invalid token" }).waitFor();
    await signInWith(token);
    // Back to the requested page.
    await page.waitForURL(`${service.url}/runs/${runId}`);
    await page.getByRole("tab", { name: "Payload" }).click();
    await page.getByText("ada@example.com").first().waitFor();
    expect(errors).toEqual([]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    // A request of the page that the sign-out overtook is unauthorized.
    expect(errors.filter((error) => !error.includes("401 (Unauthorized)"))).toEqual([]);
  });
});
