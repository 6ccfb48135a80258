import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { buildProject } from "../../../cli/build/build-project.ts";
import { makeProject, writeFiles } from "../../../cli/build/testing/make-project.ts";
import { packageRoot } from "../../paths.ts";
import { loadSources } from "../../project/project-reader.ts";
import { readManifest } from "../../project/read-manifest.ts";
import { toStoreError } from "../../store/sqlite/store-error.ts";
import { sendRaw, serve } from "../testing/serve.ts";

const page = readFileSync(join(packageRoot, "docs/receiving.md"), "utf8");
const blocks = Array.from(
  page.matchAll(/(Served by `signalbox start`:\n\n)?```http\n([\s\S]*?)\n```/g),
  ([, deployed, text = ""]) => ({ text, isDeployed: deployed !== undefined }),
);

/** The error of SQLite while another program has the lock. */
const lockedByAnother = toStoreError(new Database.SqliteError("database is locked", "SQLITE_BUSY")) as Error;

test("every example in docs/receiving.md gets the answer below it from the project that the page describes, and every status has an example", async () => {
  const triggers = await buildDescribedProject();
  const development = await serve({
    triggers,
    mode: "development",
    authenticate: async () => ({ ok: true, keyId: null }),
  });
  const deployed = await serve({ triggers, mode: "deployed", authenticate: async () => ({ ok: false }) });
  const statuses = new Set<number>();
  for (let at = 0; at < blocks.length; at += 2) {
    const { text, isDeployed } = blocks[at] ?? { text: "", isDeployed: false };
    const request = parse(text);
    const expected = parse(blocks[at + 1]?.text ?? "");
    const status = Number(expected.start.split(" ")[1]);
    const { port, store } = isDeployed ? deployed : development;
    store.failure = status === 503 ? lockedByAnother : null;
    const headers = [
      "Host: localhost",
      ...(/^content-length/im.test(request.headers.join("\n"))
        ? []
        : [`Content-Length: ${Buffer.byteLength(request.body)}`]),
      ...request.headers,
    ];
    const answer = await sendRaw(port, `${request.start}\r\n${headers.join("\r\n")}\r\n\r\n${request.body}`);
    expect(hideIds(answer.head).split("\r\n")[0]).toBe(expected.start);
    const sent = hideIds(answer.head).toLowerCase().split("\r\n");
    for (const header of expected.headers) expect(sent).toContain(header.toLowerCase());
    expect(JSON.parse(hideIds(answer.body))).toStrictEqual(JSON.parse(expected.body));
    statuses.add(status);
  }
  expect([...statuses].sort()).toEqual([200, 202, 400, 401, 404, 405, 413, 415, 422, 503]);
});

/** The project that `signalbox init` writes, with the files and the environment of the page. */
async function buildDescribedProject() {
  const [, secret = ""] = /GITHUB_SECRET="([^"]+)" npx signalbox dev/.exec(page) ?? [];
  expect(secret).not.toBe("");
  vi.stubEnv("GITHUB_SECRET", secret);
  onTestFinished(() => void vi.unstubAllEnvs());
  const projectDir = makeProject();
  cpSync(join(packageRoot, "examples/starter"), projectDir, {
    recursive: true,
    filter: (path) => !/\/(\.signalbox|outbox|node_modules)$/.test(path),
  });
  writeFiles(
    projectDir,
    Object.fromEntries(
      Array.from(page.matchAll(/```ts\n\/\/ (\S+)\n([^]*?)```/g), ([, path = "", text = ""]) => [path, text]),
    ),
  );
  const built = await buildProject({ projectDir });
  expect(built).toMatchObject({ ok: true });
  const stateDir = join(projectDir, ".signalbox");
  const manifest = await readManifest(stateDir);
  if (!manifest) throw new Error("The project has no manifest");
  return (await loadSources(stateDir, manifest)).triggers;
}

function parse(block: string): { start: string; headers: string[]; body: string } {
  const [head = "", ...body] = block.split("\n\n");
  const [start = "", ...headers] = head.split("\n");
  return { start, headers, body: body.join("\n\n") };
}

function hideIds(text: string): string {
  return text.replaceAll(/\b(run|dlv)_[0-9A-Z]{26}/g, "$1_…");
}
