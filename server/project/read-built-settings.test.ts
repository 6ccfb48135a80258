import { expect, it } from "vitest";
import { buildProject } from "../../cli/build/build-project.ts";
import { makeProject, smallProject } from "../../cli/build/testing/make-project.ts";
import { readBuiltSettings } from "./read-built-settings.ts";

it("a built project's sign-in provider may have its secret, and nothing else, in the environment", async () => {
  const config = `export default { oidc: { issuer: "https://login.example.com", clientId: "hooks", domains: ["example.com"] } };`;
  const projectDir = makeProject({ ...smallProject, "signalbox.config.ts": config });
  expect(await buildProject({ projectDir })).toMatchObject({ ok: true });
  const settings = await readBuiltSettings({
    projectDir,
    mode: "deployed",
    env: { SIGNALBOX_OIDC_CLIENT_SECRET: "a secret" },
  });
  expect(settings.oidc).toMatchObject({
    issuer: "https://login.example.com",
    clientId: "hooks",
    clientSecret: "a secret",
    domains: ["example.com"],
  });
});
