import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { readDockerfile } from "../../../e2e/support/dockerfile.ts";
import { starterFolder } from "../../../server/paths.ts";
import { runFakeCli } from "../testing/fake-host.ts";
import { findWorkspace } from "./workspace.ts";

/** A folder with these files; values that are no strings are written as JSON. */
function makeFolder(files: Record<string, unknown>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-workspace-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof contents === "string" ? contents : JSON.stringify(contents));
  }
  return root;
}

const npm = { "package.json": { workspaces: ["packages/*"] } };
const pnpm = (...globs: string[]) => ({
  "package.json": {},
  "pnpm-workspace.yaml": `packages:\n${globs.map((glob) => `  - '${glob}'\n`).join("")}`,
});

type Found = { path: string; manager: string } | null;
const layouts: [what: string, files: Record<string, unknown>, project: string, found: Found][] = [
  ["npm", npm, "packages/hooks", { path: "packages/hooks", manager: "npm" }],
  [
    "npm, a lockfile",
    { ...npm, "package-lock.json": {} },
    "packages/hooks",
    { path: "packages/hooks", manager: "npm" },
  ],
  [
    "npm, `./` and a slash at the end",
    { "package.json": { workspaces: ["./packages/*/"] } },
    "packages/a",
    { path: "packages/a", manager: "npm" },
  ],
  ["npm, a named folder", { "package.json": { workspaces: ["hooks"] } }, "hooks", { path: "hooks", manager: "npm" }],
  [
    "npm, nested packages",
    { "package.json": { workspaces: ["apps/**"] } },
    "apps/back/hooks",
    { path: "apps/back/hooks", manager: "npm" },
  ],
  ["npm, braces", { "package.json": { workspaces: ["{apps,libs}/*"] } }, "libs/a", { path: "libs/a", manager: "npm" }],
  [
    "npm, a package that is excluded",
    { "package.json": { workspaces: ["packages/*", "!packages/old"] } },
    "packages/old",
    null,
  ],
  [
    "npm, a package that is included again",
    { "package.json": { workspaces: ["packages/*", "!packages/o*", "packages/old"] } },
    "packages/old",
    { path: "packages/old", manager: "npm" },
  ],
  ["npm, another folder", npm, "tools/hooks", null],
  ["npm, below a package", npm, "packages/a/hooks", null],
  ["npm, in node_modules", { "package.json": { workspaces: ["**"] } }, "node_modules/a", null],
  ["the root is the project", npm, "", { path: "", manager: "npm" }],
  ["a project without workspaces", { "package.json": { name: "a" }, "pnpm-lock.yaml": "" }, "", null],
  ["no workspaces in the list", { "package.json": { workspaces: [] } }, "packages/a", null],
  ["an invalid package.json above", { "package.json": "{" }, "packages/a", null],
  [
    "a workspace in a workspace",
    { ...npm, "packages/inner/package.json": { workspaces: ["*"] }, "packages/inner/yarn.lock": "" },
    "packages/inner/hooks",
    { path: "hooks", manager: "yarn-classic" },
  ],
  [
    "a package between that is no workspace",
    { "package.json": { workspaces: ["packages/*/*"] }, "packages/group/package.json": {} },
    "packages/group/hooks",
    { path: "packages/group/hooks", manager: "npm" },
  ],
  ["pnpm", pnpm("packages/*"), "packages/hooks", { path: "packages/hooks", manager: "pnpm" }],
  ["pnpm, excluded", pnpm("packages/**", "!**/test/**"), "packages/test/hooks", null],
  ["pnpm, excluded before", pnpm("!packages/old", "packages/*"), "packages/old", null],
  ["pnpm, the root is the project", pnpm("packages/*"), "", { path: "", manager: "pnpm" }],
  [
    "pnpm, settings only",
    { "package.json": {}, "pnpm-workspace.yaml": "onlyBuiltDependencies: [esbuild]\n" },
    "",
    null,
  ],
  ["pnpm, an invalid file", { "package.json": {}, "pnpm-workspace.yaml": "packages: {" }, "packages/a", null],
  [
    "pnpm instead of the list of package.json",
    { ...npm, "pnpm-workspace.yaml": "packages: [apps/*]" },
    "packages/a",
    null,
  ],
  [
    "pnpm, pinned",
    { "package.json": { workspaces: ["a"], packageManager: "pnpm@10.1.0" } },
    "a",
    { path: "a", manager: "pnpm" },
  ],
  [
    "Yarn 1",
    { "package.json": { workspaces: { packages: ["packages/*"], nohoist: [] } }, "yarn.lock": "# yarn lockfile v1\n" },
    "packages/a",
    { path: "packages/a", manager: "yarn-classic" },
  ],
  [
    "Yarn 1, pinned",
    { "package.json": { workspaces: ["a"], packageManager: "yarn@1.22.22+sha512.abc" } },
    "a",
    { path: "a", manager: "yarn-classic" },
  ],
  [
    "Yarn 4, by its lockfile",
    { ...npm, "yarn.lock": "# generated\n\n__metadata:\n  version: 8\n" },
    "packages/a",
    { path: "packages/a", manager: "yarn" },
  ],
  [
    "Yarn 4, pinned",
    { "package.json": { workspaces: ["a"], packageManager: "yarn@4.9.1" } },
    "a",
    { path: "a", manager: "yarn" },
  ],
  [
    "Yarn 4, by its settings",
    { ...npm, ".yarnrc.yml": "nodeLinker: node-modules\n" },
    "packages/a",
    { path: "packages/a", manager: "yarn" },
  ],
  [
    "Bun",
    { "package.json": { workspaces: { packages: ["packages/*"], catalog: {} } }, "bun.lock": "{}" },
    "packages/a",
    { path: "packages/a", manager: "bun" },
  ],
  ["Bun, its older lockfile", { ...npm, "bun.lockb": "" }, "packages/a", { path: "packages/a", manager: "bun" }],
];

it.each(layouts)("finds the workspace of a project: %s", (_, files, project, found) => {
  const root = makeFolder(files);
  const workspace = findWorkspace(join(root, project));
  expect(workspace && { path: workspace.path, manager: workspace.manager }).toEqual(found);
  expect(workspace && join(workspace.root, workspace.path)).toBe(found && join(root, project));
});

const managers = [
  { manager: "npm", lockfile: "package-lock.json", install: "npm ci", exec: "npx", cache: "npm", uses: [] },
  {
    manager: "pnpm",
    lockfile: "pnpm-lock.yaml",
    install: "pnpm install --frozen-lockfile",
    exec: "pnpm exec",
    cache: "pnpm",
    uses: ["pnpm/action-setup@v4"],
  },
  {
    manager: "yarn@1.22.22",
    lockfile: "yarn.lock",
    install: "yarn install --frozen-lockfile",
    exec: "yarn run",
    cache: "yarn",
    uses: [],
  },
  {
    manager: "yarn@4.9.1",
    lockfile: "yarn.lock",
    install: "yarn install --immutable",
    exec: "yarn run",
    cache: "yarn",
    uses: [],
  },
  {
    manager: "bun",
    lockfile: "bun.lock",
    install: "bun install --frozen-lockfile",
    exec: "bunx",
    cache: undefined,
    uses: ["oven-sh/setup-bun@v2"],
  },
];

interface CiStep {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  "working-directory"?: string;
}
interface CiJob {
  defaults?: { run: Record<string, string> };
  steps: CiStep[];
}
const readJob = (file: string) => (parse(readFileSync(file, "utf8")) as { jobs: { check: CiJob } }).jobs.check;

describe.each(managers)("in a workspace of $manager", ({ manager, lockfile, install, exec, cache, uses }) => {
  it.each(["packages/hooks", "apps/back end/my $hooks"])("the files in %s fit the root", async (path) => {
    const root = makeFolder({
      "package.json": {
        workspaces: ["packages/*", "apps/**"],
        packageManager: manager.includes("@") ? manager : undefined,
      },
      [lockfile]: "",
    });
    const project = join(root, path);
    expect(await runFakeCli(["init", project])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`/Dockerfile${path.includes(" ") ? "'" : ""} .\n`),
    });
    expect([".github", "Dockerfile"].map((name) => existsSync(join(root, name)))).toEqual([true, false]);
    expect([".github", ".dockerignore"].map((name) => existsSync(join(project, name)))).toEqual([false, false]);

    const { defaults, steps } = readJob(join(root, ".github/workflows/signalbox.yml"));
    expect(defaults?.run).toEqual({ "working-directory": path });
    expect(steps.find(({ run }) => run === install)?.["working-directory"]).toBe(".");
    expect(steps.flatMap(({ run = "" }) => (run.includes("signalbox") ? run.replace(/ signalbox.*/, "") : []))).toEqual(
      [exec, exec],
    );
    const node = steps.find((step) => step.uses?.startsWith("actions/setup-node"));
    expect([node?.with?.["cache"], node?.with?.["cache-dependency-path"]]).toEqual([cache, cache && lockfile]);
    expect(steps.flatMap((step) => step.uses ?? []).filter((use) => !use.startsWith("actions/"))).toEqual(uses);

    const [build, image] = readDockerfile(join(project, "Dockerfile"));
    const workdir = `/app/${path.replace("$", "\\$")}`;
    expect(build?.steps.findLast(({ name }) => name === "WORKDIR")?.rest).toBe(workdir);
    expect(image?.steps.findLast(({ name }) => name === "WORKDIR")?.rest).toBe(workdir);
    expect(image?.cmd).toEqual(readDockerfile(join(starterFolder(), "Dockerfile")).at(-1)?.cmd);
    const compose = parse(readFileSync(join(project, "compose.yaml"), "utf8")) as {
      services: { signalbox: { build: { context: string; dockerfile: string } } };
    };
    const { context, dockerfile } = compose.services.signalbox.build;
    expect(join(project, context)).toBe(root);
    expect(join(root, dockerfile)).toBe(join(project, "Dockerfile"));
  });
});

const read = (...parts: string[]) => readFileSync(join(...parts), "utf8");

it("the root itself, outside of a package, has the files of any project, built from the whole workspace", async () => {
  const root = makeFolder(npm);
  expect((await runFakeCli(["init", root])).exitCode).toBe(0);
  expect(readJob(join(root, ".github/workflows/signalbox.yml")).defaults).toBeUndefined();
  const [build] = readDockerfile(join(root, "Dockerfile"));
  expect(build?.steps.flatMap(({ name, rest }) => (name === "RUN" ? [] : `${name} ${rest}`))).toEqual([
    "FROM node:24-slim AS build",
    "WORKDIR /app",
    "COPY . .",
  ]);
  expect(read(root, "compose.yaml")).toBe(read(starterFolder(), "compose.yaml"));
  expect(read(root, "AGENTS.md")).toBe(read(starterFolder(), "AGENTS.md"));
});

it("outside of a workspace, the files are those of the example project", async () => {
  const root = makeFolder({ "package.json": { workspaces: ["packages/*"] }, "bun.lock": "" });
  const project = join(root, "elsewhere/hooks");
  expect((await runFakeCli(["init", project])).exitCode).toBe(0);
  for (const path of ["Dockerfile", "compose.yaml", "AGENTS.md", ".dockerignore", ".github/workflows/signalbox.yml"])
    expect(read(project, path), path).toBe(read(starterFolder(), path));
  expect(readdirSync(root).sort()).toEqual(["bun.lock", "elsewhere", "package.json"]);
});

it("files of the root are kept, also with --force, and the lines that its .dockerignore needs are named", async () => {
  const own = { ".dockerignore": "node_modules\n**/.env\n", ".github/workflows/signalbox.yml": "name: Mine\n" };
  const root = makeFolder({ ...npm, ...own });
  for (const options of [[], ["--force"]]) {
    const { stdout, exitCode } = await runFakeCli(["init", join(root, "packages/hooks"), ...options]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      `${join(root, ".dockerignore")} was kept. The image needs these lines in it: **/node_modules **/.signalbox .git\n`,
    );
    for (const [path, contents] of Object.entries(own)) expect(read(root, path), path).toBe(contents);
  }
});

it("a second project of the workspace has a CI workflow of its own, and a second `init` writes nothing", async () => {
  const root = makeFolder(npm);
  for (const name of ["a", "b", "a", "b"]) {
    const isFirst = !existsSync(join(root, "packages", name));
    const { stdout } = await runFakeCli(["init", join(root, "packages", name), "--json"]);
    const { files } = JSON.parse(stdout) as { files: string[] };
    expect(files.length > 0, name).toBe(isFirst);
    for (const file of files) expect(existsSync(join(root, "packages", name, file)), file).toBe(true);
  }
  const folder = join(root, ".github/workflows");
  const served = readdirSync(folder).map((file) => [
    file,
    readJob(join(folder, file)).defaults?.run["working-directory"],
  ]);
  expect(Object.fromEntries(served)).toEqual({
    "signalbox.yml": "packages/a",
    "signalbox-packages-b.yml": "packages/b",
  });
});

it.each([
  ["of a workspace in it", { "js/package.json": npm["package.json"], ".git/HEAD": "" }, "js/packages/hooks", "js"],
  ["that is the root of a workspace", { "js/package.json": npm["package.json"], ".git/HEAD": "" }, "js", undefined],
  ["without a workspace", { ".git/HEAD": "" }, "services/hooks", undefined],
  ["without a workspace, of a submodule", { ".git": "gitdir: ../.git/modules/a\n" }, "back end/hooks", undefined],
])(
  "a CI workflow is in the root of the repository, with its paths: a project %s",
  async (_, files, path, installing) => {
    const repository = makeFolder(files);
    const ci = join(repository, ".github/workflows/signalbox.yml");
    const { stdout } = await runFakeCli(["init", join(repository, path)]);
    expect(stdout).toContain(`The workflow of GitHub Actions is in ${ci}.\n`);
    const { defaults, steps } = readJob(ci);
    expect(defaults?.run).toEqual({ "working-directory": path });
    expect(steps.find(({ run }) => run === "npm ci")?.["working-directory"]).toBe(installing);
    const node = steps.find((step) => step.uses?.startsWith("actions/setup-node"));
    expect(node?.with?.["cache-dependency-path"]).toBe(`${installing ?? path}/package-lock.json`);

    expect(JSON.parse((await runFakeCli(["init", join(repository, path), "--json"])).stdout)).toMatchObject({
      files: [],
    });
    await runFakeCli(["init", join(repository, "other")]);
    expect(readJob(join(repository, ".github/workflows/signalbox-other.yml")).defaults?.run).toEqual({
      "working-directory": "other",
    });
  },
);

it("a project that is a repository has the files of the example project", async () => {
  const project = makeFolder({ ".git/HEAD": "" });
  expect((await runFakeCli(["init", project])).stdout).not.toContain("GitHub");
  const file = ".github/workflows/signalbox.yml";
  expect(read(project, file)).toBe(read(starterFolder(), file));
});

it("AGENTS.md names the documentation where the package is installed, or usually is", async () => {
  const cases: [files: Record<string, unknown>, path: string][] = [
    [npm, "../../node_modules/signalbox/docs/"],
    [pnpm("packages/*"), "node_modules/signalbox/docs/"],
    [{ ...npm, "packages/hooks/node_modules/signalbox/package.json": {} }, "node_modules/signalbox/docs/"],
    [{ ...pnpm("packages/*"), "node_modules/signalbox/package.json": {} }, "../../node_modules/signalbox/docs/"],
  ];
  for (const [files, path] of cases) {
    const project = join(makeFolder(files), "packages/hooks");
    await runFakeCli(["init", project]);
    expect(read(project, "AGENTS.md")).toContain(` \`${path}\``);
  }
});

it("a project reached by a link into the workspace has its files there, and links in the root are refused", async () => {
  const root = makeFolder({ ...npm, "packages/hooks/package.json": {} });
  const elsewhere = makeFolder({ "target/file": "" });
  symlinkSync(join(root, "packages/hooks"), join(elsewhere, "link"));
  expect((await runFakeCli(["init", join(elsewhere, "link")])).exitCode).toBe(0);
  expect(existsSync(join(root, ".github/workflows/signalbox.yml"))).toBe(true);

  rmSync(join(root, ".github"), { recursive: true });
  symlinkSync(join(elsewhere, "target"), join(root, ".github"));
  expect(await runFakeCli(["init", join(root, "packages/hooks")])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("../../.github"),
  });
  expect(readdirSync(join(elsewhere, "target"))).toEqual(["file"]);
});

it.each([
  ["", true],
  ["nodeLinker: pnp\n", true],
  ["nodeLinker: node-modules\n", false],
  ['nodeLinker: "pnpm"\n', false],
])("says that Yarn's Plug'n'Play is not supported (%j: %s)", async (settings, isNamed) => {
  const root = makeFolder({ ...npm, "yarn.lock": "__metadata:\n", ".yarnrc.yml": settings });
  const { stdout } = await runFakeCli(["init", join(root, "packages/hooks")]);
  expect(stdout.includes("nodeLinker: node-modules")).toBe(isNamed);
});
