import type { BodyFormat } from "../../contract/project/endpoint.ts";
import type { Manifest, ManifestTrigger } from "../../contract/project/manifest.ts";
import type { Faker } from "./fake-value.ts";
import { findSensitive, listFieldNames, type SensitivePlace } from "./sensitive-schema.ts";

/** What is sensitive, and how it is replaced. */
export interface Masks {
  rules: SensitiveRules;
  faker: Faker;
}

/** `null`: no field is sensitive. */
export type ReadMasks = () => Promise<Masks | null>;

/** What is sensitive in the deliveries to an endpoint. */
export interface EndpointRules {
  /** `null`: nothing in the body is. */
  body: SensitivePlace | null;
  /** By lower-case name. `null`: no header is. */
  headers: SensitivePlace | null;
  /** `null`: no parameter of the query is. */
  query: SensitivePlace | null;
  /** The formats of its bodies. */
  formats: readonly BodyFormat[];
}

/** What is sensitive in the runs of a workflow or an agent. */
interface TargetRules {
  input: SensitivePlace | null;
  output: SensitivePlace | null;
}

export interface SensitiveRules {
  endpoints: ReadonlyMap<string, EndpointRules>;
  /** Of the payloads of a trigger, by its slug: the rules of its endpoint. */
  triggers: ReadonlyMap<string, EndpointRules>;
  /** By `kind:slug`. */
  targets: ReadonlyMap<string, TargetRules>;
  /** The names of all fields that a schema has. */
  fieldNames: ReadonlySet<string>;
}

/**
 * The sensitive fields of these builds together: a field is sensitive if any trigger of its endpoint marks it in any of
 * them. `null`: there are none.
 */
export function readSensitiveRules(
  builds: readonly Pick<Manifest, "triggers" | "workflows" | "agents">[],
): SensitiveRules | null {
  const all = builds.flatMap(({ triggers }) => triggers);
  const byEndpoint = Map.groupBy(all, ({ endpoint }) => endpoint);
  const endpoints = mapRules(byEndpoint);
  const triggers = mapRules(
    new Map(
      [...Map.groupBy(all, ({ slug }) => slug)].map(([slug, same]) => [
        slug,
        [...new Set(same.map(({ endpoint }) => endpoint))].flatMap((endpoint) => byEndpoint.get(endpoint) ?? []),
      ]),
    ),
  );
  const targets = new Map<string, TargetRules>();
  const built = builds.flatMap(({ workflows, agents }) => [
    ...workflows.map((workflow) => ({ name: `workflow:${workflow.slug}`, ...workflow })),
    ...agents.map(({ slug, input, output }) => ({ name: `agent:${slug}`, input, output })),
  ]);
  for (const [name, same] of Map.groupBy(built, (target) => target.name)) {
    const input = findSensitive(same.map((target) => target.input));
    const output = findSensitive(same.map((target) => target.output));
    if (input || output) targets.set(name, { input, output });
  }
  if (endpoints.size + targets.size === 0) return null;
  const schemas = [
    ...all.flatMap(({ request, filter, headers, query }) => [request, filter, headers, query]),
    ...built.flatMap(({ input, output }) => [input, output]),
  ];
  return { endpoints, triggers, targets, fieldNames: new Set(schemas.flatMap(listFieldNames)) };
}

function mapRules(groups: ReadonlyMap<string, readonly ManifestTrigger[]>): Map<string, EndpointRules> {
  return new Map(
    [...groups].flatMap(([name, triggers]): [string, EndpointRules][] => {
      const body = findSensitive(triggers.flatMap(({ request, filter }) => [request, filter]));
      const headers = findSensitive(triggers.map((trigger) => trigger.headers));
      const query = findSensitive(triggers.map((trigger) => trigger.query));
      if (!body && !headers && !query) return [];
      return [[name, { body, headers, query, formats: uniqueFormats(triggers.flatMap((trigger) => trigger.body)) }]];
    }),
  );
}

function uniqueFormats(formats: readonly BodyFormat[]): BodyFormat[] {
  return [...new Map(formats.map((format) => [JSON.stringify(format), format])).values()];
}
