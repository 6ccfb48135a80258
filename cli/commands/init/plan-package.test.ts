import { expect, it } from "vitest";
import { dependenciesOf, mergeLines, packageName, planPackage } from "./plan-package.ts";

const starter = JSON.stringify({
  name: "example",
  scripts: { dev: "signalbox dev" },
  dependencies: { provider: "^3.0.0" },
  devDependencies: { typescript: "^6.0.0" },
});
const plan = (existing: unknown) =>
  JSON.parse(
    planPackage({
      existing: existing === null ? null : JSON.stringify(existing),
      starter,
      projectDir: "/home/me/My Hooks",
    }),
  ) as Record<string, unknown>;

it("a new package has the name of the folder and the required entries", () => {
  expect(plan(null)).toEqual({
    name: "my-hooks",
    private: true,
    type: "module",
    scripts: { dev: "signalbox dev", build: "signalbox build", start: "signalbox start" },
    dependencies: { provider: "^3.0.0", zod: expect.stringMatching(/^\^4/), signalbox: expect.stringMatching(/^\^\d/) },
    devDependencies: { typescript: "^6.0.0" },
  });
});

it("entries of `npm init -y` and `npm i` are kept, in their order", () => {
  const existing = {
    name: "mine",
    version: "1.0.0",
    main: "index.js",
    scripts: { dev: "own", test: "vitest" },
    type: "commonjs",
    dependencies: { signalbox: "file:../x.tgz", zod: "^3.25.0" },
  };
  const planned = plan(existing);
  expect(planned).toEqual({
    ...existing,
    type: "module",
    scripts: { dev: "own", test: "vitest", build: "signalbox build", start: "signalbox start" },
    dependencies: { ...existing.dependencies, provider: "^3.0.0" },
    devDependencies: { typescript: "^6.0.0" },
  });
  expect(Object.keys(planned).slice(0, 3)).toEqual(["name", "version", "main"]);
});

it("dependencies are listed, if there are any", () => {
  expect(
    dependenciesOf(JSON.stringify({ dependencies: { zod: "^4.0.0" }, devDependencies: { typescript: "^6.0.0" } })),
  ).toEqual(["zod"]);
  expect(dependenciesOf("{}")).toEqual([]);
});

it("an invalid package.json is not overwritten", () => {
  expect(() => planPackage({ existing: "{", starter, projectDir: "/x" })).toThrow("is invalid");
});

it.each([
  ["/a/my-hooks", "my-hooks"],
  ["/a/My Hooks!", "my-hooks"],
  ["/a/_.x", "x"],
  ["/a/日本", "signalbox-project"],
  ["/", "signalbox-project"],
])("the package in %s is named %s", (dir, name) => expect(packageName(dir)).toBe(name));

it("missing lines are added, and nothing else changes", () => {
  expect(mergeLines("dist\nnode_modules", "# made\nnode_modules\n.signalbox\n")).toBe(
    "dist\nnode_modules\n.signalbox\n",
  );
  expect(mergeLines("a\n", "a\n")).toBe("a\n");
});
