/** What docs/ says of settings, commands, routes and links, next to what the program has. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { CliCommand } from "../cli/commands/cli-command.ts";
import { withFilterOptions } from "../cli/commands/filter-options.ts";
import { diagnosticCodes } from "../cli/build/diagnostics/diagnostic-codes.ts";
import { readSettings } from "../server/config.ts";
import { clientVariables } from "../server/config/environment.ts";
import { deliveryFilterSchema, runFilterSchema } from "../server/contract/filters.ts";
import { projectSettingsSchema } from "../server/contract/project/settings.ts";
import { openApiDocument } from "../server/http/rest/rest-app.ts";
import { createProgram, leavesOf } from "./cli-program.ts";

const repository = join(import.meta.dirname, "..");
const textOf = (page: string) => readFileSync(join(repository, page), "utf8");
const pages = globSync(
  ["*.md", "docs/{*,errors/*,decisions/*}.md", "bench/*.md", "examples/*/{README,AGENTS}.md", "skills/*/SKILL.md"],
  { cwd: repository },
)
  .filter((page) => page !== "CHANGELOG.md")
  .sort();

describe("settings", () => {
  const section = /## Settings\n([^]*?)\n## /.exec(textOf("docs/sdk.md"))?.[1] ?? "";

  it("in signalbox.config.ts each have a line in docs/sdk.md, and there are no other lines", () => {
    const documented = [...section.matchAll(/^ {2}(\w+): /gm)].map(([, name = ""]) => name);
    expect(documented.sort()).toEqual(Object.keys(projectSettingsSchema.shape).sort());
  });

  it("in the environment are all in docs/configuration.md, and no page names others", () => {
    const known = [...environmentNames(), ...Object.keys(clientVariables)];
    expect(known).toContain("SIGNALBOX_BASE_URL");
    const listed = textOf("docs/configuration.md");
    expect(known.filter((name) => !new RegExp(`\\b${name}\\b`).test(listed))).toEqual([]);
    // For contributors, and set by Kubernetes.
    const others = ["SIGNALBOX_PAGES", "SIGNALBOX_PORT", "SIGNALBOX_SERVICE_HOST"];
    const unknown = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\bSIGNALBOX_[A-Z_]+[A-Z]\b(?!…)/g)]
        .filter(([name]) => !known.includes(name) && !others.includes(name))
        .map(([name]) => `${page}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

/** As the program lists them where one is unknown. */
function environmentNames(): string[] {
  try {
    readSettings({
      projectDir: "/nowhere",
      mode: "deployed",
      fromProject: {},
      env: { SIGNALBOX_NO_SUCH_SETTING: "1" },
    });
  } catch (error) {
    return / Settings: (.*)\.$/.exec(String(error))?.[1]?.split(", ") ?? [];
  }
  return [];
}

describe("options", () => {
  it.each([
    {
      of: "defineWebhookSource",
      interfaces: [
        ["sdk/trigger/define-webhook-source.ts", "WebhookSourceOptions"],
        ["sdk/endpoint-settings.ts", "EndpointSettings"],
      ],
      page: "docs/sdk.md",
      heading: "## A trigger",
      besides: ["agent", "prompt", "transform", "workflow"],
    },
    {
      of: "defineWorkflow",
      interfaces: [
        ["sdk/workflow/define-workflow.ts", "WorkflowOptions"],
        ["sdk/target-settings.ts", "WorkflowSettings"],
        ["sdk/target-settings.ts", "TargetSettings"],
      ],
      page: "docs/sdk.md",
      heading: "## A workflow",
      besides: ["maxDelay"],
    },
    {
      of: "defineAgent",
      interfaces: [
        ["sdk/agent/define-agent.ts", "AgentOptions"],
        ["sdk/target-settings.ts", "AgentSettings"],
        ["sdk/target-settings.ts", "TargetSettings"],
      ],
      page: "docs/agents.md",
      heading: "## Options",
      besides: [],
    },
  ])("of $of each have a row in $page, and there are no other rows", ({ interfaces, page, heading, besides }) => {
    const body = interfaces
      .map(([file = "", name]) => new RegExp(`interface ${name}\\b[^]*?\\n}`).exec(textOf(file))?.[0] ?? "")
      .join("\n");
    const options = [...body.matchAll(/^ {2}(\w+)(?:\?:|:|\??\()/gm)].map(([, option = ""]) => option);
    expect(options.length).toBeGreaterThan(4);
    const table = textOf(page).split(`\n${heading}\n`)[1]?.split("\n## ")[0]?.split("\n### ")[0] ?? "";
    const rows = [...table.matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)].flatMap(([, names = ""]) =>
      [...names.matchAll(/`(\w+)[^`]*`/g)].map(([, row = ""]) => row),
    );
    expect([...new Set(rows)].sort()).toEqual([...options, ...besides].sort());
  });
});

describe("commands", () => {
  const program = createProgram();
  const leaves = leavesOf(program).map(describeLeaf);

  it("each have their usage in docs/cli.md, with all of their options and no others", () => {
    expect(leaves.length).toBeGreaterThan(25);
    const usages = [...textOf("docs/cli.md").matchAll(/`([^`\n]+)`/g)].flatMap(([, text = ""]) => usageOf(text) ?? []);
    const documented = Object.fromEntries(
      leaves.map(({ path }) => [
        path,
        [...new Set(usages.filter((usage) => usage.path === path).flatMap(({ flags }) => flags))].sort(),
      ]),
    );
    expect(documented).toEqual(Object.fromEntries(leaves.map(({ path, flags }) => [path, flags])));
    expect(leaves.map(({ path }) => path).filter((path) => !usages.some((usage) => usage.path === path))).toEqual([]);
  });

  it("each have their JSON document in docs/cli.md", () => {
    const section = /## The JSON documents\n([^]*)$/.exec(textOf("docs/cli.md"))?.[1] ?? "";
    const named = [...section.matchAll(/^\| ((?:`[a-z -]+`(?:, )?)+) \|/gm)].flatMap(([, names = ""]) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
    );
    expect(named.sort()).toEqual(leaves.map(({ path }) => path).sort());
  });

  it("named on any page exist, with their options", () => {
    const named = pages.flatMap((page) => commandLinesIn(textOf(page)).map((line) => ({ page, line })));
    expect(named.length).toBeGreaterThan(100);
    expect(named.flatMap(({ page, line }) => faultOf(line).map((fault) => `${page}: ${fault} (${line})`))).toEqual([]);
  });

  it("have examples in their help that are right", () => {
    const examples = leaves.flatMap(({ help }) =>
      [...help.matchAll(/^ {2}\$ (.*)$/gm)].flatMap(([, line = ""]) => commandsIn(line)),
    );
    expect(examples.length).toBeGreaterThan(leaves.length);
    expect(examples.flatMap((line) => faultOf(line).map((fault) => `${fault} (${line})`))).toEqual([]);
  });

  /**
   * What a piece of code in docs/cli.md says of one command, or of several whose names have `|` between them. `null`:
   * it is about something else.
   */
  function usageOf(text: string): { path: string; flags: string[] }[] | null {
    const filter = text.startsWith("runs") ? runFilterSchema : deliveryFilterSchema;
    const { options } = withFilterOptions(new CliCommand(), filter);
    const ofFilter = text.includes("[filter]") ? options.flatMap(({ long }) => long ?? []) : [];
    const flags = [...[...text.matchAll(/--[a-z-]+/g)].map(([flag]) => flag), ...ofFilter].filter(
      (flag) => flag !== "--json" && flag !== "--project" && flag !== "--env-file",
    );
    const words = text.replace(/^signalbox /, "").split(" ");
    const paths = leaves
      .map(({ path }) => path)
      .filter((path) =>
        path
          .split(" ")
          .every((name, index) => words[index] === name || (index > 0 && words[index]?.split("|").includes(name))),
      );
    return paths.length === 0 ? null : paths.map((path) => ({ path, flags }));
  }

  /** Mistakes in a command line: commands and options that do not exist. */
  function faultOf(line: string): string[] {
    const words = line.split(/\s+/).slice(1);
    let command: Command = program;
    while (command.commands.length > 0 && words[0] !== undefined && !words[0].startsWith("-")) {
      const name = words.shift() ?? "";
      // `keys create|list`, and "keys …" where no one of them is meant.
      if (name === "…") return [];
      const below = name.split("|").map((one) => command.commands.find((candidate) => candidate.name() === one));
      const [first] = below;
      if (!first || below.includes(undefined)) return [`there is no command ${name}`];
      command = first;
    }
    const known = [...program.options, ...command.options].map(({ long }) => long);
    return words
      .flatMap((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1] ?? [])
      .filter((flag) => flag !== "--help" && !known.includes(flag))
      .map((flag) => `${command.name()} has no ${flag}`);
  }
});

function describeLeaf({ path, command }: { path: string; command: Command }) {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return { path, flags: command.options.flatMap(({ long }) => long ?? []).sort(), help };
}

/** From code in the text, and from lines of shell. */
function commandLinesIn(text: string): string[] {
  const inline = [...text.replaceAll(/```[^]*?```/g, "").matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
  const shell = [...text.matchAll(/```sh\n([^]*?)```/g)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .map((line) => line.replace(/(^|\s)#.*$/, ""));
  return [...inline, ...shell].flatMap(commandsIn);
}

function commandsIn(line: string): string[] {
  return [...line.matchAll(/(?:^|(?<=[\s("$])(?<!exec ))signalbox( [a-z-][^`"');&]*)/g)].map(([, rest = ""]) =>
    `signalbox${rest.replace(/ [|>] .*/, "")}`.trim(),
  );
}

describe("routes", () => {
  /** Rows like "| `GET /runs`, `POST /runs/{id}/cancel` | … |", and "| `POST /keys/{id}/rotate`, `…/revoke` | … |". */
  const rows = [
    ...textOf("docs/api.md").matchAll(/^\| ((?:`(?:(?:GET|POST) \/|…\/)[^`]*`(?:, )?)+) \| (.*) \|$/gm),
  ].flatMap(([, names = "", text = ""]) => {
    const whole = names.replace(
      /`((?:GET|POST) [^`]*)\/[^`/]*`, `…\/([^`]*)`/,
      (both, start: string, end: string) => `${both.split(", ")[0]}, \`${start}/${end}\``,
    );
    return [...whole.matchAll(/`(GET|POST) ([^`?]+)/g)].map(([, method, path]) => ({
      route: `${method} ${path}`,
      text: `${names} ${text}`,
    }));
  });
  const { paths } = openApiDocument() as {
    paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
  };
  const routes = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        route: `${method.toUpperCase()} ${path.replace("/api/v1", "")}`,
        operation,
      })),
    )
    .filter(({ path }) => path.startsWith("/api/v1/") && path !== "/api/v1/openapi.json");

  it("of the API each have a row in docs/api.md, and there are no other rows", () => {
    expect(rows.map(({ route }) => route).sort()).toEqual(routes.map(({ route }) => route).sort());
  });

  it("have their query parameters in their rows", () => {
    const missing = routes.flatMap(({ route, operation }) => {
      const text = rows.find((row) => row.route === route)?.text ?? "";
      const names = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === "query")
        .map(({ name }) => name);
      const said = new Set([...text.matchAll(/[?`](\w+)(?==|`)/g)].map(([, name]) => name));
      // `limit` and `cursor` are documented once, for all lists.
      return / filters\b/.test(text)
        ? []
        : names
            .filter((name) => !["limit", "cursor"].includes(name) && !said.has(name))
            .map((name) => `${route}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});

it("the measured rates in docs/comparison.md are those of docs/performance.md", () => {
  const table =
    textOf("docs/comparison.md")
      .match(/^\|.*\|$/gm)
      ?.join("\n") ?? "";
  const rates = [...table.matchAll(/(?<![\d,])\d+,\d{3}(?![\d,])/g)].map(([rate]) => rate);
  expect(rates.length).toBeGreaterThan(2);
  const measured = textOf("docs/performance.md");
  expect(rates.filter((rate) => !measured.includes(rate))).toEqual([]);
});

it("metrics named on any page have a row in docs/metrics.md", () => {
  const documented = [...textOf("docs/metrics.md").matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
  expect(documented.length).toBeGreaterThan(40);
  const named = pages
    .flatMap((page) => [...textOf(page).matchAll(/\bsignalbox_[a-z_]+\b/g)].map(([name]) => ({ page, name })))
    .filter(({ name }) => /_(total|seconds|bytes|runs|workers|writes|bucket)$/.test(name));
  expect(named.length).toBeGreaterThan(documented.length / 2);
  expect(
    named
      .filter(({ name }) => !documented.includes(name.replace(/_(bucket|sum|count)$/, "")))
      .map(({ page, name }) => `${page}: ${name}`),
  ).toEqual([]);
});

it("files of this repository that are named on any page exist", () => {
  const named = pages.flatMap((page) =>
    [
      ...textOf(page)
        .replaceAll(/```[^]*?```/g, "")
        .matchAll(/`((?:server|cli|e2e|components|app|sdk|scripts|bench|docs|drizzle)\/[\w./[\]-]*)`/g),
    ].map(([, path = ""]) => ({ page, path })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(
    named.filter(({ path }) => !existsSync(join(repository, path))).map(({ page, path }) => `${page}: ${path}`),
  ).toEqual([]);
});

it("docs/build.md names existing diagnostics only", () => {
  const named = [...textOf("docs/build.md").matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !(name in diagnosticCodes))).toEqual([]);
});

it("links lead to files and headings that exist", () => {
  const links = pages.flatMap((page) =>
    [
      ...textOf(page)
        .replaceAll(/```[^]*?```/g, "")
        .matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g),
    ].map(([, target = ""]) => ({ page, target })),
  );
  expect(links.length).toBeGreaterThan(200);
  const broken = links.filter(({ page, target }) => {
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(repository, file))) return true;
    return anchor !== undefined && !anchorsOf(textOf(file)).includes(anchor);
  });
  expect(broken.map(({ page, target }) => `${page}: ${target}`)).toEqual([]);
});

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.replaceAll(/```[^]*?```/g, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
