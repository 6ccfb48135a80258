/**
 * Import directions: a module imports from the levels below its own, never from another module of its level. Type
 * imports count. CONTRIBUTING.md describes the levels. scripts/architecture/violations breaks each rule on purpose.
 */
const root = "^(?:scripts/architecture/violations/)?";

/** Modules from the lowest level up. A module imports from the levels below, and from itself. */
const levels = [
  [/* 0 */ "sdk"],
  [/* 1 */ "server/contract", "server/paths"],
  [/* 2 */ "server/config"],
  [/* 3 */ "server/shared"],
  [/* 4 */ "server/domain"],
  [/* 5 */ "server/ports"],
  [/* 6 */ "server/matching"],
  [
    /* 7 */ "server/ingest",
    "server/engine",
    "server/runs",
    "server/deliveries",
    "server/triggers",
    "server/traffic",
    "server/search",
    "server/presets",
    "server/alerts",
    "server/upkeep",
    "server/masking",
    "server/auth",
    "server/identity",
    "server/store",
    "server/project",
    "server/logging",
    "server/tracing",
  ],
  [/* 8 */ "server/http", "server/trpc", "server/mcp", "server/run-channel"],
  [/* 9 */ "server/composition"],
  [/* 10 */ "server/processes"],
  [/* 11 */ "cli"],
  [/* 12 */ "testing"],
];

/** The same for the folders of the app. */
export const componentLevels = [
  [/* 0 */ "components/ui", "components/curl", "components/graph"],
  [/* 1 */ "components/trpc", "components/auth", "components/json"],
  [/* 2 */ "components/live", "components/list", "components/schema"],
  [/* 3 */ "components/histogram", "components/run-form", "components/alerts"],
  [/* 4 */ "components/runs"],
  [/* 5 */ "components/deliveries", "components/sheets"],
  [/* 6 */ "components/canvas", "components/settings"],
  [/* 7 */ "components/search"],
  [/* 8 */ "components/shell"],
];

const pattern = (modules) => `${root}(?:${modules.map((module) => `${module}(?:/|\\.ts$)`).join("|")})`;

const directions = [levels, componentLevels].flatMap((all) =>
  all.flatMap((modules, level) =>
    modules.map((module) => ({
      name: `${module.replaceAll("/", "-")}-imports-downwards`,
      severity: "error",
      comment: `${module} may import from the levels below it, not from a sibling and not from above.`,
      from: { path: pattern([module]), pathNot: "\\.test(-d)?\\.tsx?$|/testing/" },
      to: { path: pattern(siblingsAndAbove(module, all, level)) },
    })),
  ),
);

function siblingsAndAbove(module, all, level) {
  const others = all
    .slice(level)
    .flat()
    .filter((other) => other !== module);
  return others.length > 0 ? others : ["nothing-is-above"];
}

export default {
  forbidden: [
    ...directions,
    {
      name: "no-cycles",
      severity: "error",
      comment: "A cycle means that two files are one.",
      from: {},
      to: { circular: true },
    },
    {
      name: "resolvable",
      severity: "error",
      comment: "An import that resolves to nothing.",
      from: {},
      to: { couldNotResolve: true, pathNot: "^(signalbox/|.*\\.css$)" },
    },
    {
      name: "app-has-one-bridge",
      severity: "error",
      comment:
        "Pages reach the server through app/server.ts; the contract's shapes and the router's type are open to all.",
      from: { path: `${root}app/`, pathNot: `${root}app/server\\.ts$` },
      to: { path: `${root}server/`, pathNot: `${root}server/(contract/|trpc/router\\.ts$)` },
    },
    {
      name: "components-know-the-contract-only",
      severity: "error",
      comment:
        "Components import the contract, the rules that server and browser share, and the router's type; nothing else of the server.",
      from: { path: `${root}components/`, pathNot: "\\.test\\.tsx?$|/testing/" },
      to: {
        path: `${root}(?:server/|app/|cli/)`,
        pathNot: `${root}server/(contract/|shared/|trpc/router\\.ts$)`,
      },
    },
    {
      name: "nothing-imports-pages",
      severity: "error",
      comment: "The server and the command line know nothing of React.",
      from: { path: `${root}(?:server|cli|testing|sdk)/` },
      to: { path: `${root}(?:app|components)/` },
    },
    {
      name: "supervisor-has-no-store",
      severity: "error",
      comment: "The supervisor is small and never blocked: what it loads does not include the store.",
      from: { path: `${root}server/processes/supervisor\\.ts$` },
      to: { path: `${root}server/(?:store|composition)/`, reachable: true },
    },
    {
      name: "tools-are-loaded-lazily",
      severity: "error",
      comment: "The library of the Model Context Protocol is large, and most processes and commands never use it.",
      from: { path: `${root}(?:server|cli|testing|app)/`, pathNot: `${root}server/mcp/|\\.test\\.ts$|/testing/` },
      to: { path: `${root}server/mcp/|node_modules/@modelcontextprotocol/`, dynamic: false },
    },
    {
      name: "one-reader-of-the-database-driver",
      severity: "error",
      comment: "SQL stays inside the store.",
      from: {
        path: `${root}(?:server|cli|testing|app|components|sdk)/`,
        pathNot: `${root}server/store/|\\.test\\.ts$`,
      },
      to: { path: "node_modules/(?:better-sqlite3|drizzle-orm|pg/)" },
    },
    {
      name: "store-core-knows-no-database",
      severity: "error",
      comment: "An operation of the core runs on both databases.",
      from: { path: `${root}server/store/core/`, pathNot: "\\.test\\.ts$" },
      to: { path: `${root}server/store/(?:sqlite|postgres)/` },
    },
    ...["sqlite", "postgres"].map((database) => ({
      name: `store-${database}-is-independent`,
      severity: "error",
      comment: "The two databases share code through the core only.",
      from: { path: `${root}server/store/${database}/`, pathNot: "\\.test\\.ts$" },
      to: { path: `${root}server/store/(?!${database}/)(?:sqlite|postgres)/` },
    })),
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "cli/build/golden|sdk/type-errors|\\.signalbox/|^dist/|^\\.next/" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json", ".css"],
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
