/**
 * The pages of the site: which Markdown file becomes which page, and where it is in the sidebar. Every file of `docs/`
 * must be listed: the build fails for one that is not.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

export const repository = join(import.meta.dirname, "../..");

/**
 * Where the site is served, for a host or for a folder of one: `SITE_URL=https://example.github.io/signalbox/`. The
 * canonical addresses of pages, the sitemap and llms.txt contain it.
 */
export const siteUrl = new URL(process.env["SITE_URL"] ?? "http://localhost:4321/");
/** The folder of the host, without a slash at its end. At the top of a host: an empty string. */
export const siteFolder = siteUrl.pathname.replace(/\/$/, "");

export interface Section {
  label: string;
  /** For llms.txt: when a model needs this part. */
  description: string;
  /** Source files, relative to the repository, in the order of the sidebar. */
  files: readonly string[];
  collapsed?: boolean;
}

const docs = (...names: string[]) => names.map((name) => `docs/${name}.md`);
const folder = (name: string) =>
  readdirSync(join(repository, name))
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .toSorted()
    .map((file) => `${name}/${file}`);

export const home = "README.md";

export const sections: readonly Section[] = [
  {
    label: "Start",
    description: "the first project, triggers and workflows, senders, comparison",
    files: docs("README", "tutorial", "sdk", "senders", "comparison", "faq"),
  },
  {
    label: "Concepts",
    description: "receiving webhooks, runs, agents, supported schemas, glossary",
    files: docs("receiving", "workflows", "flow-control", "composition", "agents", "build", "glossary"),
  },
  {
    label: "Guides",
    description: "tests, coding agents, changes, recovery, alerts, people, sensitive data",
    files: docs(
      "testing",
      "mcp",
      "client",
      "changing-workflows",
      "recovery",
      "dev-from-production",
      "backtest",
      "alerts",
      "sensitive-data",
      "people",
      "moving",
    ),
  },
  {
    label: "Deploy",
    description: "Docker, systemd, Kubernetes, Fly.io, Railway, Render, several machines",
    files: docs("deploying", "kubernetes", "platforms", "scaling"),
  },
  {
    label: "Operate",
    description: "the app, upkeep, troubleshooting, metrics, traces, logs",
    files: docs("app", "upkeep", "troubleshooting", "failures", "metrics", "tracing", "logs"),
  },
  {
    label: "Reference",
    description: "every setting, command and operation",
    files: docs("configuration", "cli", "api", "filters"),
  },
  {
    label: "Errors",
    description: "each error code with its cause and its fix",
    files: ["docs/errors/README.md", ...folder("docs/errors")],
    collapsed: true,
  },
  {
    label: "Guarantees",
    description: "guarantees, threat model, performance, changes",
    files: [...docs("promises", "threat-model", "performance"), "SECURITY.md", "CHANGELOG.md"],
  },
  {
    label: "For contributors",
    description: "packaging and decisions",
    files: ["CONTRIBUTING.md", ...docs("packaging"), ...folder("docs/decisions")],
    collapsed: true,
  },
];

/** Files of `docs/` that are in no section, and files of sections that do not exist. */
export function findUnlisted(): { missing: string[]; unknown: string[] } {
  const existing = ["docs", "docs/errors", "docs/decisions"].flatMap((name) =>
    readdirSync(join(repository, name))
      .filter((file) => file.endsWith(".md"))
      .map((file) => `${name}/${file}`),
  );
  const listed = sections.flatMap(({ files }) => files);
  return {
    missing: existing.filter((file) => !listed.includes(file)),
    unknown: listed.filter((file) => file.startsWith("docs/") && !existing.includes(file)),
  };
}

/** The path of a page, without slashes at its ends: `errors/not_found`. */
export function slugOf(file: string): string {
  if (file === home) return "index";
  if (file === "CONTRIBUTING.md") return "contributing";
  if (file === "docs/packaging.md") return "contributing/packaging";
  if (file.startsWith("docs/decisions/")) return `contributing/decisions/${nameOf(file)}`;
  if (file === "docs/errors/README.md") return "errors";
  if (file === "docs/README.md") return "documentation";
  return file.startsWith("docs/") ? file.slice("docs/".length).replace(/\.md$/, "") : nameOf(file).toLowerCase();
}

const nameOf = (file: string): string => file.replace(/^.*\//, "").replace(/\.md$/, "");
