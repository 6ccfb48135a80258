/**
 * Writes docs/configuration.md from the schemas of the settings, their docstrings in the SDK and the options of the
 * command line: `node scripts/write-configuration.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { z } from "zod";
import { CliCommand } from "../cli/commands/cli-command.ts";
import { createCommandRunner } from "../cli/commands/command-context.ts";
import { registerStart } from "../cli/commands/service/start.ts";
import { createPaint } from "../cli/terminal/terminal.ts";
import { clientVariables, environmentSchema } from "../server/config/environment.ts";
import { projectSettingsSchema } from "../server/contract/project/settings.ts";
import { tracingEnvironmentSchema, tracingSwitches } from "../server/contract/tracing-settings.ts";
import { formatNumber } from "../server/shared/format.ts";

const repository = join(import.meta.dirname, "..");
export const configurationPage = join(repository, "docs/configuration.md");

/** Pages with more about a setting or a variable. */
const readMore: Record<string, string> = {
  alerts: "alerts.md#alerts",
  baseUrl: "people.md#behind-a-reverse-proxy",
  databaseUrl: "scaling.md",
  drainSeconds: "workflows.md#stopping-and-starting",
  limits: "receiving.md#429-too-many-requests",
  "limits.connections": "receiving.md#connections",
  modelPrices: "agents.md#cost",
  oidc: "people.md#openid-connect",
  retentionDays: "upkeep.md#retention",
  trustProxy: "people.md#behind-a-reverse-proxy",
  uncheckedRegexes: "build.md#regular-expressions",
  SIGNALBOX_DATABASE_DIRECT_URL: "scaling.md#connections",
  SIGNALBOX_ALERT_WEBHOOK_URL: "alerts.md#messages",
  SIGNALBOX_BUILDS_DIR: "changing-workflows.md#containers",
  SIGNALBOX_LOG_LEVEL: "logs.md",
  SIGNALBOX_SECRET: "upkeep.md#backups",
  SIGNALBOX_URL: "cli.md#which-service-commands-use",
};

interface JsonSchema {
  type?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  enum?: string[];
  const?: string;
  anyOf?: unknown[];
  minimum?: number;
  maximum?: number;
}

interface Documented {
  text: string;
  byDefault: string;
  environment: string[];
}

/** The whole page. Throws if a setting has no docstring, or if a variable has no text. */
export function configurationMarkdown(): string {
  const settings = describedSettings();
  const taken = settings.flatMap(({ environment }) => environment);
  const flags = flagsByVariable();
  const rows = settings.map(({ path, schema, text, byDefault, environment }) => [
    code(path),
    [...environment, ...environment.flatMap((name) => flags.get(name) ?? [])].map(code).join(", "),
    valuesOf(path, schema),
    byDefault,
    withLink(text, path),
  ]);
  const variables = describedVariables(environmentSchema).filter(({ name }) => !taken.includes(name));
  return `# Configuration

Every setting of a service. All are optional. A generator writes this page from the code that reads the settings.

- A setting comes from \`signalbox.config.ts\`, a variable of the environment, or an option of the command line. The
  option takes precedence over the variable, and the variable over the file.
- Every command reads variables from [\`.env\` and \`--env-file\`](cli.md#environment-variables-from-files), too.
- Settings take effect when the service starts. It does not start with an unknown or invalid one, and names it.
- An empty variable counts as unset.
- Variables that [Kubernetes](kubernetes.md#variables-of-services) sets for a Service, such as
  \`SIGNALBOX_PORT=tcp://…\`, are ignored.

[An example of the file](sdk.md#settings) has all settings.

## Settings

A setting of the form \`a.b\` is the field \`b\` of the object \`a\`.

${table(["in the file", "variable, option", "values", "default", ""], rows)}

## Only in the environment

${table(["variable", "values", "default", ""], variables.map(toRow))}

## Traces

The standard variables of OpenTelemetry ([traces](tracing.md)). An endpoint turns traces on.
${Object.entries(tracingSwitches)
  .map(([name, value]) => code(`${name}=${value}`))
  .join(" and ")} turn them off, regardless of the others.

${table(["variable", "values", "default", ""], describedVariables(tracingEnvironmentSchema).map(toRow))}

## Clients

Commands that call a service, and programs that receive webhooks inside Next.js, read these.

${table(["variable", "default", ""], Object.entries(clientVariables).map(clientRow))}

## Variables without the prefix

Other programs share these names. Signalbox reads them as follows, and no others. \`DATABASE_URL\` belongs to your
application: it selects no store.

${table(["variable", "use", "if it is meant for another program"], sharedVariables)}

## Your own variables

Your code reads its variables from \`process.env\`. [Secrets of senders](sdk.md#signatures) that only \`verify\` uses do not
reach your workflows. Neither do \`SIGNALBOX_SECRET\`, the \`SIGNALBOX_ENCRYPTION_…\`, the \`SIGNALBOX_OIDC_…\` and the \`SIGNALBOX_ALERT_…\` variables.
\`SIGNALBOX_DATABASE_URL\`, \`SIGNALBOX_DATABASE_DIRECT_URL\` and \`SIGNALBOX_TOKEN\` do only if your code names them.
`;
}

/** The variables without a prefix that this code, its driver of Postgres and Node read. */
const sharedVariables: string[][] = [
  ["`PORT`", "the port, as platforms set it", "`--port` takes precedence"],
  [
    "`HOST`",
    "the address to listen on, if it is an IP address of this machine",
    "ignored, and `start` logs that; `SIGNALBOX_HOST` takes precedence",
  ],
  ["`OTEL_…`", "[traces](tracing.md)", "`OTEL_SDK_DISABLED=true` turns them off"],
  [
    "`PGUSER`, `PGPASSWORD` and others",
    "the parts that the URL of a Postgres omits",
    "write the user, the password, the host and the database into the URL",
  ],
  ["`NO_COLOR`, `FORCE_COLOR`, `TERM`", "colours of the command line", "they change colours only"],
  ["`TZ`", "times on the terminal", "stored times, logs and the API are in UTC"],
  ["`NODE_ENV`", "inside Next.js, which sets it", "`dev` and `start` do not read it"],
  ["`NODE_…`, `SSL_CERT_…`", "read by Node.js itself", "see its documentation"],
];

function clientRow([name, text]: [string, string]): string[] {
  const documented = readText(text, name);
  return [code(name), documented.byDefault, withLink(documented.text, name)];
}

function toRow({ name, schema, text, byDefault }: ReturnType<typeof describedVariables>[number]): string[] {
  return [code(name), valuesOf(name, schema), byDefault, withLink(text, name)];
}

/** The settings of `signalbox.config.ts` in the order of the schema, objects before their fields. */
function describedSettings(): (Documented & { path: string; schema: JsonSchema })[] {
  const docstrings = readDocstrings();
  const describe = (path: string, schema: JsonSchema): ReturnType<typeof describedSettings> => {
    const docstring = docstrings.get(path);
    if (docstring === undefined) throw new Error(`${path} has no docstring in sdk/config/define-config.ts.`);
    const fields = Object.entries(schema.properties ?? {}).filter(([name]) => docstrings.has(`${path}.${name}`));
    const undocumented = Object.keys(schema.properties ?? {}).length - fields.length;
    if (fields.length > 0 && undocumented > 0) throw new Error(`${path} has fields without a docstring.`);
    const below = fields.flatMap(([name, field]) => describe(`${path}.${name}`, field));
    return [{ path, schema, ...readText(docstring, path, fields.length > 0) }, ...below];
  };
  return Object.entries(toJsonSchema(projectSettingsSchema).properties ?? {}).flatMap(([name, schema]) =>
    describe(name, schema),
  );
}

function describedVariables(variables: z.ZodObject): (Documented & { name: string; schema: JsonSchema })[] {
  const settings = describedSettings().flatMap(({ environment }) => environment);
  return Object.entries(toJsonSchema(variables).properties ?? {})
    .filter(([name]) => !settings.includes(name))
    .map(([name, schema]) => ({ name, schema, ...readText(schema.description ?? "", name) }));
}

function toJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { unrepresentable: "any" }) as JsonSchema;
}

/** The docstrings of the settings by path: `oidc.issuer`. */
function readDocstrings(): ReadonlyMap<string, string> {
  const source = readFileSync(join(repository, "sdk/config/define-config.ts"), "utf8");
  const fields = (name: string, prefix: string): [string, string][] => {
    const body = new RegExp(`export interface ${name} {\\n([^]*?)\\n}`).exec(source)?.[1] ?? "";
    let parent = "";
    return [...body.matchAll(/^( +)\/\*\*([^]*?)\*\/\n +(\w+)\??:/gm)].map(([, indent, comment = "", field = ""]) => {
      const isTop = indent === "  ";
      if (isTop) parent = field;
      const text = comment
        .replaceAll(/\n +\* ?/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim();
      return [`${prefix}${isTop ? field : `${parent}.${field}`}`, text];
    });
  };
  return new Map([...fields("ProjectConfig", ""), ...fields("AlertOptions", "alerts.")]);
}

/** Takes `Default: ….` and `Environment: ….` out of a text. */
function readText(docstring: string, name: string, isGroup = false): Documented {
  const [defaults, byDefault = ""] = / ?Default: (.*?)\.(?= [A-Z]|$)/.exec(docstring) ?? [""];
  const [environments, names = ""] = / ?Environment: (.*?)\.(?= [A-Z]|$)/.exec(docstring) ?? [""];
  if (byDefault === "" && !isGroup) throw new Error(`The text of ${name} has no "Default: …."`);
  return {
    text: docstring.replace(defaults, "").replace(environments, "").trim(),
    byDefault: byDefault,
    environment: [...names.matchAll(/`([A-Z_]+)`/g)].map(([, variable = ""]) => variable),
  };
}

/** Options of `signalbox start` that set a variable's setting: their text names the variable first. */
function flagsByVariable(): ReadonlyMap<string, string> {
  const output = { write() {}, paint: createPaint(false), hasColor: false, isTerminal: false };
  const runner = createCommandRunner({
    terminal: { out: output, err: output },
    cwd: repository,
    stdin: Readable.from([]),
    now: () => 0,
    openApi: () => Promise.reject(new Error("No command is run here")),
  });
  const program = new CliCommand("signalbox");
  registerStart(program, runner);
  const options = program.commands.flatMap(({ options: of }) => of);
  return new Map(
    options.flatMap(({ long, description }) => {
      const variable = /\(default: ([A-Z_]+), signalbox\.config\.ts/.exec(description)?.[1];
      return long && variable ? [[variable, long] as const] : [];
    }),
  );
}

function valuesOf(name: string, schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map(code).join(", ");
  if (schema.const !== undefined) return code(schema.const);
  if (schema.type === "array") return "a list";
  if (schema.type === "object") return "an object";
  if (schema.type === "boolean") return "`true`, `false`";
  if (schema.anyOf) return "`true`, `false`, an object";
  if (schema.type !== "integer" && schema.type !== "number") return "text";
  const unit = /bytes$/i.test(name)
    ? "bytes, "
    : name.endsWith("Mb")
      ? "MiB, "
      : /days$/i.test(name)
        ? "days, "
        : /seconds$/i.test(name)
          ? "seconds, "
          : "";
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const range =
    maximum === Number.MAX_SAFE_INTEGER
      ? `${formatNumber(minimum)} or more`
      : `${formatNumber(minimum)} to ${formatNumber(maximum)}`;
  return `${unit}${range}`;
}

function withLink(text: string, name: string): string {
  const target = readMore[name];
  return target === undefined ? text : `${text} [More](${target}).`;
}

const code = (text: string): string => `\`${text}\``;

function table(head: string[], rows: string[][]): string {
  return [tableLine(head), `|${head.map(() => "---|").join("")}`, ...rows.map(tableLine)]
    .join("\n")
    .replaceAll("|  |", "| |");
}

function tableLine(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

if (import.meta.main) writeFileSync(configurationPage, configurationMarkdown());
