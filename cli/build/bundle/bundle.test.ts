import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleCode } from "./bundle.ts";
import { makeProject, writeFiles } from "../testing/make-project.ts";

test("source maps of a bundle name the published SDK as the SDK", async () => {
  const projectDir = makeProject({
    "triggers/a.ts": 'import { define } from "signalbox/trigger";\nexport default define();\n',
  });
  const packageRoot = join(projectDir, "../elsewhere/signalbox");
  const map = Buffer.from(
    JSON.stringify({
      version: 3,
      sources: ["../../sdk/trigger/define.ts"],
      sourcesContent: [null],
      mappings: "AAAA",
      names: [],
    }),
  ).toString("base64");
  writeFiles(packageRoot, {
    "dist/sdk/trigger.js": `export { define } from "./shared-1.js";\n//# sourceMappingURL=data:application/json;base64,${map}\n`,
    "dist/sdk/shared-1.js": `export const define = () => 1;\n//# sourceMappingURL=data:application/json;base64,${map}\n`,
  });
  const bundle = await bundleCode({
    projectDir,
    outDir: join(projectDir, ".signalbox/builds/a"),
    files: ["triggers/a.ts"],
    packageFiles: { packageRoot, sdkFile: (name) => join(packageRoot, "dist/sdk", `${name}.js`) },
  });
  if (!bundle.ok) throw new Error(JSON.stringify(bundle.errors));
  const text = bundle.files.map(({ contents }) => Buffer.from(contents).toString()).join("\n");
  expect(text).toContain('"signalbox:dist/sdk/shared-1.js"');
  expect(text).not.toContain("elsewhere");
  expect(text).not.toContain("define.ts");
});
