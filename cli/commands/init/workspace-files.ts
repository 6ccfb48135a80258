import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PackageManager, Workspace } from "./workspace.ts";

/** How a package manager is used by people, by continuous integration and in an image. */
interface Commands {
  install: string;
  /** Runs a program of an installed package, in the folder of the package. */
  exec: string;
  lockfile: string;
  /** Steps of GitHub Actions: before Node is installed, to install, and to test. */
  ci: { setup: string[]; cache: string | null; install: string; test: string };
  /** Lines of a Dockerfile: to get the package manager, to install, and to remove development dependencies. */
  image: { setup: string[]; install: string; prune: string };
}

const corepack = {
  ci: ["      - run: corepack enable", "        working-directory: ."],
  image: ["RUN corepack enable"],
};

const commands: Readonly<Record<PackageManager, Commands>> = {
  npm: {
    install: "npm install",
    exec: "npx",
    lockfile: "package-lock.json",
    ci: { setup: [], cache: "npm", install: "npm ci", test: "npm test --if-present" },
    image: {
      setup: [],
      install: "npm ci --ignore-scripts --no-audit --no-fund",
      prune: "npm prune --omit=dev --ignore-scripts --no-audit --no-fund",
    },
  },
  pnpm: {
    install: "pnpm install",
    exec: "pnpm exec",
    lockfile: "pnpm-lock.yaml",
    ci: {
      setup: ["      - uses: pnpm/action-setup@v4"],
      cache: "pnpm",
      install: "pnpm install --frozen-lockfile",
      test: "pnpm run --if-present test",
    },
    image: {
      setup: corepack.image,
      install: "pnpm install --frozen-lockfile --ignore-scripts",
      prune: "CI=true pnpm install --prod --frozen-lockfile --ignore-scripts",
    },
  },
  yarn: {
    install: "yarn install",
    exec: "yarn run",
    lockfile: "yarn.lock",
    ci: { setup: corepack.ci, cache: "yarn", install: "yarn install --immutable", test: "yarn run test" },
    image: {
      setup: corepack.image,
      install: "yarn install --immutable --mode=skip-build",
      prune: "YARN_ENABLE_SCRIPTS=false yarn workspaces focus --all --production",
    },
  },
  "yarn-classic": {
    install: "yarn install",
    exec: "yarn run",
    lockfile: "yarn.lock",
    ci: { setup: [], cache: "yarn", install: "yarn install --frozen-lockfile", test: "yarn run test" },
    image: {
      setup: [],
      install: "yarn install --frozen-lockfile --ignore-scripts",
      prune: "yarn install --production --frozen-lockfile --ignore-scripts",
    },
  },
  bun: {
    install: "bun install",
    exec: "bunx",
    lockfile: "bun.lock",
    ci: {
      setup: ["      - uses: oven-sh/setup-bun@v2"],
      cache: null,
      install: "bun install --frozen-lockfile",
      test: "bun run --if-present test",
    },
    image: {
      setup: ["COPY --from=oven/bun:1 /usr/local/bin/bun /usr/local/bin/bunx /usr/local/bin/"],
      install: "bun install --frozen-lockfile --ignore-scripts",
      prune:
        "find . -name node_modules -prune -exec rm -rf {} + && bun install --production --frozen-lockfile --ignore-scripts",
    },
  },
};

/** Where a project is: in a workspace, whose root is in a repository. */
type Place = Pick<Workspace, "root" | "path" | "inRepository">;

/** The commands to install the packages of a workspace, and to run a program of one. */
export function commandsOf({ manager }: Workspace): { install: string; exec: string } {
  return commands[manager];
}

/** A file of the example project as a package of the workspace needs it; `path` is relative to the project. */
export function adaptToWorkspace(
  file: { path: string; contents: Uint8Array },
  workspace: Workspace,
): { path: string; contents: Uint8Array } | null {
  const text = Buffer.from(file.contents).toString("utf8");
  const write = (contents: string, path = file.path) => ({ path, contents: Buffer.from(contents) });
  switch (file.path) {
    case "Dockerfile":
      return write(dockerfile(text, workspace));
    case "compose.yaml":
      return write(composeFile(text, workspace));
    case ".dockerignore":
      return existsSync(join(workspace.root, file.path))
        ? null
        : write(dockerignore(workspace), `${toRoot(workspace)}${file.path}`);
    case usualCiFile:
      return write(ciWorkflow(text, workspace), ciFile(workspace));
    case "AGENTS.md":
      return write(replaceOnce(text, "`node_modules/signalbox/docs/`", `\`${packageFolder(workspace)}/docs/\``));
    default:
      return file;
  }
}

/** The same for a project outside of a workspace, in a folder of a repository: GitHub reads workflows only in its root. */
export function adaptToRepository(
  file: { path: string; contents: Uint8Array },
  place: Place,
): { path: string; contents: Uint8Array } {
  if (file.path !== usualCiFile || place.inRepository === "") return file;
  const text = Buffer.from(file.contents).toString("utf8");
  const contents = Buffer.from(ciWorkflow(text, { ...place, manager: "npm", isPinned: false }));
  return { path: ciFile(place), contents };
}

/** Where the person finds the workflow, if it is outside of the project. */
export function repositoryNotes(place: Place): string[] {
  if (projectInRepository(place) === "") return [];
  return [`The workflow of GitHub Actions is in ${join(place.root, place.path, ciFile(place))}.`];
}

/** What the person must know about the files in the root. */
export function workspaceNotes(workspace: Workspace): string[] {
  const { root, path, manager } = workspace;
  const ignored = join(root, ".dockerignore");
  const lines = existsSync(ignored) ? readFileSync(ignored, "utf8").split(/\r?\n/) : [];
  const missing = rootIgnores.filter((line) => !lines.some((have) => have.replace(/\/$/, "") === line));
  return [
    ...(path === ""
      ? []
      : [`The project is a package of the workspace ${root} (${manager === "yarn-classic" ? "Yarn 1" : manager}).`]),
    ...repositoryNotes(workspace),
    ...(path === "" ? [] : [`Build the image in ${root}: docker build -f ${shellWord(`${path}/Dockerfile`)} .`]),
    ...(lines.length > 0 && missing.length > 0
      ? [`${ignored} was kept. The image needs these lines in it: ${missing.join(" ")}`]
      : []),
    ...(workspace.isPlugAndPlay
      ? [
          "Yarn's Plug'n'Play is not supported. Write `nodeLinker: node-modules` into .yarnrc.yml, then run yarn install.",
        ]
      : []),
  ];
}

/** From the project to the root: `../../`. */
function toRoot({ path }: Pick<Workspace, "path">): string {
  return "../".repeat(path === "" ? 0 : path.split("/").length);
}

/** The folder of the installed package, from the project. Without one yet: where the package manager usually puts it. */
function packageFolder(workspace: Workspace): string {
  const own = "node_modules/signalbox";
  const hoisted = `${toRoot(workspace)}${own}`;
  const project = join(workspace.root, workspace.path);
  if (existsSync(join(project, own))) return own;
  return existsSync(join(project, hoisted)) || !["pnpm", "bun"].includes(workspace.manager) ? hoisted : own;
}

const usualCiFile = ".github/workflows/signalbox.yml";

/** From the project, in the root of the repository. `signalbox.yml`, unless it is the workflow of another project. */
function ciFile(place: Place): string {
  const project = projectInRepository(place);
  const repository = toRoot({ path: project });
  const usual = join(place.root, place.path, repository, usualCiFile);
  const isOfAnother =
    project !== "" &&
    existsSync(usual) &&
    !readFileSync(usual, "utf8").includes(`working-directory: ${yamlString(project)}\n`);
  const own = `.github/workflows/signalbox-${project.replaceAll(/[^\w.-]+/g, "-")}.yml`;
  return `${repository}${isOfAnother ? own : usualCiFile}`;
}

function projectInRepository({ path, inRepository }: Pick<Place, "path" | "inRepository">): string {
  return [inRepository, path].filter((part) => part !== "").join("/");
}

/** Paths in a workflow are relative to the root of the repository. */
function ciWorkflow(text: string, workspace: Place & Pick<Workspace, "manager" | "isPinned">): string {
  const { path, inRepository, manager, isPinned } = workspace;
  const project = projectInRepository(workspace);
  const { ci, exec, lockfile } = commands[manager];
  const version = manager === "pnpm" && !isPinned ? ["        with:", "          version: 10"] : [];
  const setup = [...ci.setup, ...version].map((line) => `${line}\n`).join("");
  const locked = yamlString(projectInRepository({ path: lockfile, inRepository }));
  const cache = ci.cache === null ? "" : `          cache: ${ci.cache}\n          cache-dependency-path: ${locked}\n`;
  const installing = inRepository === "" ? "." : yamlString(inRepository);
  const steps: [from: string, to: string][] = [
    [
      "    runs-on: ubuntu-latest\n",
      `    runs-on: ubuntu-latest\n${project === "" ? "" : `    defaults:\n      run:\n        working-directory: ${yamlString(project)}\n`}`,
    ],
    ["      - uses: actions/setup-node@v4\n", `${setup}      - uses: actions/setup-node@v4\n`],
    ["          cache: npm\n", cache],
    [
      "      - run: npm ci\n",
      `      - run: ${ci.install}\n${path === "" ? "" : `        working-directory: ${installing}\n`}`,
    ],
    ["npm test --if-present", ci.test],
    ["npx signalbox build", `${exec} signalbox build`],
    ["npx signalbox triggers", `${exec} signalbox triggers`],
  ];
  return steps.reduce((changed, [from, to]) => replaceOnce(changed, from, to), text);
}

/**
 * The stage that builds has the whole workspace: packages import each other. The stage that serves is that of any
 * project, in the folder of the package.
 */
function dockerfile(text: string, workspace: Workspace): string {
  const { path, manager } = workspace;
  const { exec, image, lockfile, install } = commands[manager];
  const folder = path === "" ? "/app" : `/app/${path}`.replaceAll("$", "\\$");
  const [, serving = ""] = text.split(/(?=^FROM .*\nENV )/m);
  const hoisted = `${"../".repeat(path.split("/").length + 1)}node_modules/signalbox`;
  const building = [
    `# In the root of the workspace: docker build -f ${shellWord(path === "" ? "Dockerfile" : `${path}/Dockerfile`)} -t my-hooks . — needs ${lockfile}, which \`${install}\` creates.`,
    "FROM node:24-slim AS build",
    ...image.setup,
    "WORKDIR /app",
    "COPY . .",
    "# Without install scripts, which often need a compiler. If a package has one that you need: RUN npm rebuild <package>",
    `RUN ${image.install}`,
    ...(path === "" ? [] : [`WORKDIR ${folder}`]),
    `RUN ${exec === "npx" ? "npx --no-install" : exec} signalbox build`,
    ...(path === "" ? [] : ["WORKDIR /app"]),
    `RUN ${image.prune}`,
    ...(path === ""
      ? []
      : [
          `WORKDIR ${folder}`,
          "# Most package managers install into the root's node_modules. With this link, the path of Signalbox is always the same.",
          `RUN mkdir -p node_modules && { [ -e node_modules/signalbox ] || ln -s ${hoisted} node_modules/signalbox; }`,
        ]),
    "",
  ];
  const served = path === "" ? serving : replaceOnce(serving, "USER node\n", `WORKDIR ${folder}\nUSER node\n`);
  return `${building.join("\n")}\n${served}`;
}

function composeFile(text: string, workspace: Workspace): string {
  if (workspace.path === "") return text;
  const context = toRoot(workspace).replace(/\/$/, "");
  return replaceOnce(
    text,
    "    build: .\n",
    `    build:\n      context: ${context}\n      dockerfile: ${yamlString(`${workspace.path}/Dockerfile`)}\n`,
  );
}

/** What no image of the workspace may have from this machine. */
const rootIgnores = ["**/node_modules", "**/.signalbox", "**/.env", ".git"];

/** Patterns of `.dockerignore` are relative to the root, unlike those of `.gitignore`. */
function dockerignore({ path }: Workspace): string {
  const own = ["outbox", "Dockerfile", "compose.yaml"].map((name) => (path === "" ? name : `${path}/${name}`));
  return `${[...rootIgnores, ...own].join("\n")}\n`;
}

function yamlString(text: string): string {
  return /^[\w.][\w./@-]*$/.test(text) ? text : JSON.stringify(text);
}

function shellWord(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function replaceOnce(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`The example project has no ${JSON.stringify(from)}.`);
  return text.replace(from, () => to);
}
