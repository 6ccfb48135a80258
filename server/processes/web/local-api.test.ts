import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SettingsError } from "../../config/environment.ts";
import { openLocalApi } from "./open-local-api.ts";
import { ProjectError } from "../../project/read-manifest.ts";
import { forkLocalApi } from "./fork-local-api.ts";
import { test } from "../testing/pool-test.ts";

const url = "http://127.0.0.1:3000";

test("it answers as the API does, makes links with the service's URL, and ends when it is closed", async ({
  createProject,
  expect,
}) => {
  const { dir: projectDir } = await createProject({});
  const api = await forkLocalApi({ projectDir, url, isReplacingSecret: false });
  const people = await api.fetch(new Request("http://signalbox/api/v1/people"));
  expect([people.status, await people.json()]).toMatchObject([200, { data: [] }]);
  const unknown = await api.fetch(new Request("http://signalbox/api/v1/runs/run_unknown"));
  expect(unknown.status).toBe(404);
  const key = { kind: "webhook", name: "first key", endpoints: null, expiresAt: null };
  const created = await api.fetch(
    new Request("http://signalbox/api/v1/keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(key),
    }),
  );
  expect([created.status, await created.json()]).toMatchObject([201, { name: "first key" }]);
  const link = await api.fetch(new Request("http://signalbox/api/v1/setup-links", { method: "POST" }), {
    serviceUrl: "http://127.0.0.1:4321",
  });
  expect(z.object({ url: z.string() }).parse(await link.json()).url).toMatch(/^http:\/\/127\.0\.0\.1:4321\//);
  await api.close();
});

test("it fails to open with the error of the API", async ({ createProject, expect }) => {
  const { dir: projectDir } = await createProject({});
  const manifest = join(projectDir, ".signalbox", "manifest.json");
  const errors = async () => [
    await openLocalApi({ projectDir, running: null }).catch((error: unknown) => error),
    await forkLocalApi({ projectDir, url, isReplacingSecret: false }).catch((error: unknown) => error),
  ];
  await writeFile(manifest, "{");
  const [expectedOfBuild, ofBuild] = await errors();
  expect(expectedOfBuild).toBeInstanceOf(ProjectError);
  expect(ofBuild).toBeInstanceOf(ProjectError);
  expect(String(ofBuild)).toBe(String(expectedOfBuild));
  await rm(manifest);
  const [expected, found] = await errors();
  expect(expected).toBeInstanceOf(SettingsError);
  expect(found).toBeInstanceOf(SettingsError);
  expect(String(found)).toBe(String(expected));
});
