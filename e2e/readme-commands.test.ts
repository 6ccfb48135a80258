import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { repository } from "./support/project.ts";
import { startService } from "./support/service.ts";

const readme = readFileSync(join(repository, "README.md"), "utf8");

const documents = globSync(["*.md", "docs/**/*.md", "bench/*.md"], { cwd: repository });

it.each(documents)("%s links to files that exist", (document) => {
  const text = readFileSync(join(repository, document), "utf8");
  const links = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, path]) => path ?? "");
  expect(links.filter((path) => !existsSync(join(repository, dirname(document), path)))).toEqual([]);
});

describe("the README", () => {
  it("names commands that this repository has", () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/npm (?:run )?(dev|test)\b/g)].map(([, name]) => name ?? "");
    expect(new Set(named)).toEqual(new Set(["dev", "test"]));
    for (const name of named) expect(scripts).toHaveProperty(name);
  });

  it("starts the example project from the sources by `npm run dev`, with its page", async () => {
    const projectDir = join(repository, "examples/starter");
    const service = await startService({ projectDir, command: "dev", program: ["npm", "run"], npmScript: true });
    const response = await postJson(`${service.url}/triggers/signup`, { name: "Ada", email: "ada@example.com" });
    expect(response.status).toBe(202);
    const { runId } = (await response.json()) as { runId: string };
    expect(await waitForRun(service, runId)).toMatchObject({ status: "completed" });
    // The README's second request, from the file that it names.
    const [, endpoint = "", file = ""] = /curl http:\/\/127\.0\.0\.1:3002(\S+) .* --data @(\S+)/.exec(readme) ?? [];
    const asked = await postJson(service.url + endpoint, JSON.parse(readFileSync(join(repository, file), "utf8")));
    const agentRun = await waitForRun(service, ((await asked.json()) as { runId: string }).runId);
    expect(agentRun).toMatchObject({
      status: "completed",
      target: { kind: "agent", slug: "triage" },
      output: { summary: expect.stringContaining("no model was called") },
    });
    const { page } = await visit(service.url);
    await page.goto(service.url, { timeout: 90_000 });
    await page.getByRole("link", { name: /^Trigger new-signup/ }).waitFor({ timeout: 90_000 });
  });
});
