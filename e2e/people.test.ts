import type { Page } from "playwright";
import { describe, expect } from "vitest";
import { findViolations } from "./support/axe.ts";
import { sidewaysOverflow, visit } from "./support/browser.ts";
import { postJson } from "./support/api.ts";
import { copyStarter } from "./support/project.ts";
import { signalbox, withSharedService } from "./support/service.ts";

/** The project of the service. */
let projectDir = "";
const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });

const it = withSharedService((onCleanup) => {
  projectDir = copyStarter(onCleanup);
  const built = cli("build");
  if (built.status !== 0) throw new Error(built.stderr);
  return { projectDir, command: "start" };
});

const password = "correct horse battery staple";

async function fillIn(page: Page, values: Record<string, string>, button: string): Promise<void> {
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole("button", { name: button, exact: true }).click();
}

async function expectNoFaults(page: Page): Promise<void> {
  expect([page.url(), (await sidewaysOverflow(page)) > 0, await findViolations(page)]).toEqual([page.url(), false, []]);
}

describe("people of a deployed service", () => {
  it("the first admin joins and invites a viewer, who reads everything and starts nothing until the session is ended; passwords are reset, and people removed", async ({
    service,
  }) => {
    const hooks = cli("triggers", "url", "new-signup").stdout.trim();
    expect((await postJson(hooks, { name: "Ada", email: "ada@example.com" })).status).toBe(202);

    const admin = await visit(service.url);
    const { page } = admin;
    // A newer link ends the one before it.
    const ended = cli("people", "setup-link").stdout.trim();
    const link = cli("people", "setup-link").stdout.trim();
    expect(link.startsWith(`${service.url}/setup/`)).toBe(true);
    await page.goto(ended);
    await page.getByRole("heading", { name: "Invalid link" }).waitFor();
    await page.goto(link);
    await expectNoFaults(page);
    await fillIn(page, { Name: "Grace", Email: "grace@example.com", Password: password }, "Create account");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText("grace@example.com").waitFor();
    await page.getByRole("link", { name: "People" }).click();
    await page.getByRole("button", { name: "Invite" }).click();
    await fillIn(page, { "Name or note": "Alan" }, "Create link");
    const invitation = await page.getByTestId("secret").textContent();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("table", { name: "Invitations" }).getByText("Alan").waitFor();

    const viewer = await visit(service.url);
    await viewer.page.goto(invitation ?? "");
    await fillIn(viewer.page, { Name: "Alan", Email: "alan@example.com", Password: password }, "Create account");
    await viewer.page.waitForURL(`${service.url}/`);
    await viewer.page.goto(`${service.url}/runs`);
    await viewer.page
      .getByRole("link", { name: /welcome-email/ })
      .first()
      .click();
    const replay = viewer.page.getByRole("button", { name: "Replay", exact: true });
    expect(await replay.isDisabled()).toBe(true);
    await viewer.page.keyboard.press("Tab");
    await replay.focus();
    await viewer.page.getByRole("tooltip", { name: "Requires the operator role" }).waitFor();
    await viewer.page.keyboard.press("Enter");
    const runId = new URL(viewer.page.url()).pathname.split("/").at(-1) ?? "";
    const statusOf = (procedure: string, input: object) =>
      viewer.page.evaluate(
        async ([name, body]) =>
          (
            await fetch(`/api/trpc/${name}`, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: body ?? "",
            })
          ).status,
        [procedure, JSON.stringify(input)],
      );
    expect(await statusOf("runs.replay", { id: runId })).toBe(403);
    await viewer.page.goto(`${service.url}/settings/people`);
    await viewer.page.getByText("Admins only").waitFor();

    await page.reload();
    const sessions = page.getByRole("table", { name: "Sessions" });
    await sessions.getByRole("row", { name: /Alan/ }).getByRole("button", { name: "End" }).click();
    await sessions.getByText("Alan").waitFor({ state: "detached" });
    await viewer.page.goto(`${service.url}/runs`);
    await viewer.page.waitForURL(`${service.url}/sign-in?next=%2Fruns`);
    await fillIn(viewer.page, { Email: "alan@example.com", Password: "a wrong password" }, "Sign in");
    await viewer.page.getByRole("alert").filter({ hasText: "password is wrong" }).waitFor();
    await fillIn(viewer.page, { Email: "alan@example.com", Password: password }, "Sign in");
    await viewer.page.waitForURL(`${service.url}/runs`);

    await page
      .getByRole("table", { name: "People" })
      .getByRole("row", { name: /Alan/ })
      .getByRole("button", { name: "Reset password" })
      .click();
    await page.getByRole("button", { name: "Create link" }).click();
    const resetLink = (await page.getByTestId("secret").textContent()) ?? "";
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("table", { name: "Invitations" }).getByText("Password reset for alan@example.com").waitFor();
    await viewer.page.goto(resetLink);
    await fillIn(viewer.page, { "New password": `${password} anew` }, "Set password");
    await viewer.page.getByRole("status").getByText("Your new password is set").waitFor();
    await fillIn(viewer.page, { Email: "alan@example.com", Password: `${password} anew` }, "Sign in");
    await viewer.page.waitForURL(`${service.url}/`);
    await viewer.page.goto(resetLink);
    await viewer.page.getByRole("heading", { name: "Invalid link" }).waitFor();
    expect(service.output()).not.toContain(new URL(resetLink).pathname.split("/").at(-1));

    await page.getByLabel("Role of Alan").selectOption("admin");
    await expect
      .poll(() => statusOf("keys.create", { kind: "api", name: "CI", scope: "read", lifetimeDays: null }))
      .toBe(200);
    await page
      .getByRole("row", { name: /Alan.*alan@example.com/ })
      .getByRole("button", { name: "Remove" })
      .click();
    await page.getByRole("dialog").getByText("Their API token CI is revoked").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("alan@example.com").first().waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Audit log" }).click();
    for (const [who, what] of [
      ["Grace", "Created an invitation"],
      ["Alan", "Joined"],
      ["Grace", "Ended a session"],
      ["unauthenticated", "Failed to sign in"],
      ["Alan", "Signed in"],
      ["Grace", "Created a reset link"],
      ["alan@example.com", "Reset their password"],
      ["Grace", "Revoked a key"],
      ["Grace", "Removed a person"],
    ]) {
      await page
        .getByRole("link", { name: new RegExp(`^${who}: ${what}`) })
        .first()
        .waitFor();
    }
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect([admin.errors, admin.foreignRequests, viewer.foreignRequests]).toEqual([[], [], []]);
  });

  it("an admin creates a token that is shown once, reveals a webhook key and rotates it, and the audit log has each action", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url);
    await page.goto(service.url);
    await expectNoFaults(page);
    await page.goto(cli("people", "invite", "--role", "admin").stdout.trim());
    await fillIn(page, { Name: "Ida", Email: "ida@example.com", Password: password }, "Create account");
    await page.waitForURL(`${service.url}/`);
    await page.goto(`${service.url}/settings/keys`);
    await page.getByRole("button", { name: "New token" }).click();
    await expectNoFaults(page);
    await fillIn(page, { Name: "deploys" }, "Create token");
    const token = await page.getByTestId("secret").textContent();
    await page.getByRole("button", { name: "Done" }).click();
    const ask = (method: string, path: string) =>
      fetch(`${service.url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } });
    expect([
      (await ask("GET", "/runs")).status,
      (await ask("POST", "/runs/x/cancel")).status,
      (await ask("GET", "/audit")).status,
    ]).toEqual([200, 403, 403]);
    const tokens = page.getByRole("table", { name: "API tokens" });
    const row = tokens.getByRole("row", { name: /deploys.*read/ });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await row.getByText("revoked").waitFor();
    expect((await ask("GET", "/runs")).status).toBe(401);
    const webhookKeys = page.getByRole("table", { name: "Webhook keys" });
    await webhookKeys.getByRole("button", { name: "Show" }).click();
    await page.getByTestId("secret").getByText(/^sbk_/).waitFor();
    const old = (await page.getByTestId("secret").textContent()) ?? "";
    await page.getByRole("button", { name: "Done" }).click();

    const send = async (key: string) =>
      (await postJson(`${service.url}/triggers/signup?token=${key}`, { name: "Ada", email: "ada@example.com" })).status;
    await webhookKeys.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("Old key expires").selectOption({ label: "in 1 hour" });
    await expectNoFaults(page);
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    await page
      .getByRole("dialog")
      .getByText(/^The old key works until 20/)
      .waitFor();
    const next = (await page.getByTestId("secret").textContent()) ?? "";
    await page.getByRole("button", { name: "Done" }).click();
    await webhookKeys
      .getByRole("row", {
        name: new RegExp(`${old.slice(0, 8)}… .*still valid, expires in .* replaced by ${next.slice(0, 8)}…`),
      })
      .waitFor();
    expect([await send(old), await send(next)]).toEqual([202, 202]);
    await webhookKeys
      .getByRole("row", { name: `replaces ${old.slice(0, 8)}…` })
      .getByRole("button", { name: "Rotate" })
      .click();
    await page.getByLabel("Old key expires").selectOption({ label: "immediately" });
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    await page
      .getByRole("dialog")
      .getByText(/^The old key no longer works/)
      .waitFor();
    expect([await send(old), await send(next)]).toEqual([202, 401]);
    await page.goto(`${service.url}/settings/audit?action=key.rotated`);
    await page
      .getByRole("link", { name: /^Ida: Rotated a key key_/ })
      .first()
      .waitFor();
    await page.goto(`${service.url}/settings/audit?action=key.shown`);
    await page.getByRole("link", { name: /^Ida: Viewed a webhook key key_/ }).click();
    await page.waitForURL(`${service.url}/settings/keys`);
    expect(errors).toEqual([]);
  });
});
