/** The fields of the filters on each surface. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { withFilterOptions } from "../cli/commands/filter-options.ts";
import { CliCommand } from "../cli/commands/cli-command.ts";
import {
  activeFilters as deliveryChips,
  deliveryFilterParsers,
} from "../components/deliveries/list/delivery-filters.ts";
import { activeFilters as runChips, runFilterParsers } from "../components/runs/list/run-filters.ts";
import { deliveryFilterSchema, heldFilterSchema, runFilterSchema } from "../server/contract/filters.ts";
import { openApiDocument } from "../server/http/rest/rest-app.ts";
import { tools } from "../server/mcp/tools/all-tools.ts";
import { appRouter } from "../server/trpc/router.ts";
import { createProgram, leavesOf } from "./cli-program.ts";
import { filtersMarkdown, filtersPage } from "./write-filters.ts";

it("docs/filters.md is up to date (if not, run node scripts/write-filters.ts)", () => {
  expect(readFileSync(filtersPage, "utf8")).toBe(filtersMarkdown());
});

const clientTypes = readFileSync(join(import.meta.dirname, "../sdk/client/api-types.ts"), "utf8");
const { paths, components } = z
  .object({
    paths: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({ operationId: z.string(), parameters: z.array(z.object({ name: z.string() })).default([]) }),
      ),
    ),
    components: z.object({
      schemas: z.record(z.string(), z.object({ properties: z.record(z.string(), z.unknown()).optional() })),
    }),
  })
  .parse(openApiDocument());

const inQuery = (operation: string) =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === operation)
    ?.parameters.map(({ name }) => name) ?? [];
const inBody = (name: string) => Object.keys(components.schemas[name]?.properties ?? {});
const inTool = (name: string) => Object.keys(tools.find((tool) => tool.name === name)?.input.shape ?? {});
const inClient = (name: string) =>
  [...(new RegExp(`interface ${name} {[^]*?\n}`).exec(clientTypes)?.[0] ?? "").matchAll(/^ {2}(\w+)\?/gm)].map(
    ([, field = ""]) => field,
  );

function inProcedure({ _def }: { _def: unknown }): string[] {
  const [input] = z.object({ inputs: z.array(z.custom<z.ZodObject>()) }).parse(_def).inputs;
  return Object.keys(input?.shape ?? {});
}

/** The fields whose options a command has. */
function inCommand(
  path: string,
  filter: typeof runFilterSchema | typeof deliveryFilterSchema | typeof heldFilterSchema,
) {
  const flags = leavesOf(createProgram())
    .find((leaf) => leaf.path === path)
    ?.command.options.map(({ long }) => long);
  const { options } = withFilterOptions(new CliCommand(), filter);
  return Object.keys(filter.shape).filter((_, at) => flags?.includes(options[at]?.long ?? ""));
}

describe.each([
  {
    of: "runs",
    fields: runFilterSchema.shape,
    surfaces: {
      ...Object.fromEntries(["listRuns", "countRuns", "exportRuns", "sumUsage"].map((name) => [name, inQuery(name)])),
      "the body of bulk actions": inBody("RunFilter"),
      "the list of the app": inProcedure(appRouter.runs.list),
      "the count of the app": inProcedure(appRouter.runs.count),
      "the histogram of the app": inProcedure(appRouter.runs.histogram),
      "the usage of the app": inProcedure(appRouter.runs.usage),
      "the URL of the page": Object.keys(runFilterParsers),
      "the chips of the page": chipsOf(runChips, runFilterSchema),
      "runs list": inCommand("runs list", runFilterSchema),
      "runs resume": inCommand("runs resume", runFilterSchema),
      "runs replay": inCommand("runs replay", runFilterSchema),
      get_run: inTool("get_run"),
      "the client": inClient("RunFilter"),
    },
  },
  {
    of: "deliveries",
    fields: deliveryFilterSchema.shape,
    surfaces: {
      listDeliveries: inQuery("listDeliveries"),
      exportDeliveries: inQuery("exportDeliveries"),
      "the list of the app": inProcedure(appRouter.deliveries.list),
      "the histogram of the app": inProcedure(appRouter.deliveries.histogram),
      "the URL of the page": Object.keys(deliveryFilterParsers),
      "the chips of the page": chipsOf(deliveryChips, deliveryFilterSchema),
      "deliveries list": inCommand("deliveries list", deliveryFilterSchema),
      search_deliveries: inTool("search_deliveries"),
      "the client": inClient("DeliveryFilter"),
    },
  },
  {
    of: "held deliveries",
    fields: heldFilterSchema.shape,
    surfaces: {
      "the body of a release": inBody("ReleaseDeliveriesRequest"),
      "deliveries release": inCommand("deliveries release", heldFilterSchema),
    },
  },
])("of $of", ({ fields, surfaces }) => {
  it.each(Object.entries(surfaces))("%s has every field of the filter", (_, names) => {
    expect(Object.keys(fields).filter((name) => !names.includes(name))).toEqual([]);
  });
});

/** The fields that have a chip if all are set. */
function chipsOf<State>(
  activeFilters: (state: State) => { name: string; label: string }[],
  { shape }: z.ZodObject,
): string[] {
  const state = Object.fromEntries(Object.keys(shape).map((name) => [name, "2026-01-01"]));
  return activeFilters(state as State).map(({ name }) => name);
}
