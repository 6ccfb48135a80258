/** Writes docs/filters.md from the filters of the contract: `node scripts/write-filters.ts`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { CliCommand } from "../cli/commands/cli-command.ts";
import { withFilterOptions } from "../cli/commands/filter-options.ts";
import { deliveryFilterSchema, heldFilterSchema, runFilterSchema } from "../server/contract/filters.ts";

export const filtersPage = join(import.meta.dirname, "../docs/filters.md");

export function filtersMarkdown(): string {
  return `# Filters

The lists of runs and deliveries have the same filters everywhere. A row is listed if it satisfies all given fields. A generator writes this
page from the code.

- The [REST API](api.md) and the [app](app.md#links) have the fields in the query of the URL, the [client](client.md) and the
  [tools for coding agents](mcp.md) in an object. A flag is \`true\`.
- \`since\` and \`until\` take a time in ISO 8601. A date starts at midnight UTC. Commands and tools also take a period before now, e.g. \`24h\`.

## Runs

\`runs list\`, \`runs resume\` and \`runs replay\`; \`GET /runs\`, \`/runs/count\`, \`/runs/export\` and \`/runs/usage\`, and the \`filter\` of
\`POST /runs/bulk\`; the tool \`get_run\`.

${table(runFilterSchema)}

## Deliveries

\`deliveries list\`; \`GET /deliveries\` and \`/deliveries/export\`; the tool \`search_deliveries\`. A release of held deliveries takes only
${new Intl.ListFormat("en-GB").format(Object.keys(heldFilterSchema.shape).map(code))}.

${table(deliveryFilterSchema)}
`;
}

function table(filter: z.ZodObject<Record<string, z.ZodOptional<z.ZodType>>>): string {
  const { options } = withFilterOptions(new CliCommand(), filter);
  const rows = Object.entries(filter.shape).map(([name, field], at) => {
    const schema = field.unwrap();
    const values =
      schema instanceof z.ZodEnum ? ` Values: ${schema.options.map((value) => code(`${value}`)).join(", ")}.` : "";
    const text = `${schema.description ?? ""}${values}`;
    return `| ${code(name)} | ${code(options[at]?.flags ?? "")} | ${text.replaceAll("|", "\\|")} |`;
  });
  return ["| field | option | selects |", "|---|---|---|", ...rows].join("\n");
}

const code = (text: string): string => `\`${text}\``;

if (import.meta.main) writeFileSync(filtersPage, filtersMarkdown());
