import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadProjectSettings } from "./load-project-settings.ts";
import { makeProject } from "./testing/make-project.ts";

describe("loadProjectSettings", () => {
  test("is {} without a settings file, and leaves no files", async () => {
    const projectDir = makeProject();
    expect(await loadProjectSettings(projectDir)).toEqual({});
    expect(existsSync(join(projectDir, ".signalbox"))).toBe(false);
  });

  test.for(["signalbox.config.ts", "signalbox.config.mts", "signalbox.config.js", "signalbox.config.mjs"])(
    "reads %s with its imports",
    async (name) => {
      const projectDir = makeProject({
        [name]:
          'import { defineConfig } from "signalbox/config";\nimport { port } from "./lib/port";\n\nexport default defineConfig({ name: "Billing", port });\n',
        "lib/port.ts": "export const port: number = 4000;\n",
      });
      expect(await loadProjectSettings(projectDir)).toEqual({ name: "Billing", port: 4000 });
      expect(readdirSync(join(projectDir, ".signalbox"))).toEqual([".gitignore"]);
    },
  );

  test("reads a changed file again", async () => {
    const first = makeProject({ "signalbox.config.ts": "export default { port: 1 };\n" });
    expect(await loadProjectSettings(first)).toEqual({ port: 1 });
    const second = makeProject({ "signalbox.config.ts": "export default { port: 2 };\n" });
    expect(await loadProjectSettings(second)).toEqual({ port: 2 });
  });

  test.for([
    ["an unknown setting", "export default { prot: 1 };", /^signalbox\.config\.ts: prot is not a setting\. Settings: /],
    ["a bad value", 'export default { port: "a" };', /^signalbox\.config\.ts: port: /],
    ["no default export", "export const port = 1;", /^signalbox\.config\.ts has no default export\. Write /],
    [
      "a file that throws",
      'throw new Error("no secret\\nhere");',
      /^signalbox\.config\.ts throws an error while it loads: no secret$/,
    ],
    [
      "a file that cannot be read",
      "export default {;",
      /^signalbox\.config\.ts:1:17: Expected identifier but found ";"$/,
    ],
  ] as const)("reports %s in one line", async ([, text, message]) => {
    const projectDir = makeProject({ "signalbox.config.ts": text });
    await expect(loadProjectSettings(projectDir)).rejects.toThrow(message);
  });

  test("stops waiting for a file that does not finish loading", async () => {
    const projectDir = makeProject({ "signalbox.config.ts": "await new Promise(() => {});\nexport default {};\n" });
    await expect(loadProjectSettings(projectDir, 100)).rejects.toThrow(
      /^signalbox\.config\.ts does not finish loading\. /,
    );
  });

  test("rejects two settings files", async () => {
    const projectDir = makeProject({
      "signalbox.config.ts": "export default {};",
      "signalbox.config.js": "export default {};",
    });
    await expect(loadProjectSettings(projectDir)).rejects.toThrow(
      "Both signalbox.config.ts and signalbox.config.js exist. Keep one of them.",
    );
  });
});
