import { z } from "zod";
import {
  type EventContract,
  type EventSample,
  type Span,
  addEvent,
  emptyEventContract,
  mark,
  readEventContract,
  spanSchema,
  toSpan,
  toTuple,
  writeEventContract,
} from "./event-contract.ts";
import { type Drift, findDrift, findNewKinds } from "./find-drift.ts";

/** The contracts of an endpoint: one for each kind of event. */
export interface EndpointContracts {
  /** Number of deliveries. */
  count: number;
  /** The last delivery that was added: its time in Unix milliseconds, and its id. */
  cursor: { at: number; id: string } | null;
  /** When each kind was seen. The clock counts all deliveries. */
  kinds: Map<string, Span>;
  contracts: Map<string, EventContract>;
}

/** The kind of events that nothing names. */
const unnamedKind = "";
/** Events of further kinds are counted, but not compared: kinds that share a contract would seem to change. */
const maxKinds = 100;

export function emptyContracts(): EndpointContracts {
  return { count: 0, cursor: null, kinds: new Map(), contracts: new Map() };
}

/**
 * Adds a delivery, and returns its kind; `null`: there are too many kinds. Deliveries are added in the order in which
 * they were received.
 */
export function addDelivery(
  endpoint: EndpointContracts,
  { id, kind, ...sample }: EventSample & { id: string; kind: string },
): string | null {
  endpoint.count += 1;
  endpoint.cursor = { at: sample.seenAt, id };
  if (!endpoint.kinds.has(kind) && endpoint.kinds.size >= maxKinds) return null;
  endpoint.kinds.set(kind, mark(endpoint.kinds.get(kind), endpoint.count, sample.seenAt));
  const contract = endpoint.contracts.get(kind) ?? emptyEventContract();
  addEvent(contract, sample);
  endpoint.contracts.set(kind, contract);
  return kind;
}

/** The changes of an endpoint since a time (Unix milliseconds), with the kind of the events; `null`: all kinds. */
export function findChanges(
  { kinds, count, contracts }: EndpointContracts,
  period: { since: number },
): { kind: string | null; drift: Drift }[] {
  return [
    ...[...contracts].flatMap(([kind, contract]) =>
      findDrift(contract, period).map((drift) => ({ kind: kind === unnamedKind ? null : kind, drift })),
    ),
    ...findNewKinds(kinds, count, period).map((drift) => ({ kind: null, drift })),
  ];
}

const recordSchema = z.object({
  count: z.number(),
  cursor: z.object({ at: z.number(), id: z.string() }).nullable(),
  kinds: z.array(z.tuple([z.string(), spanSchema])),
});

/** The texts that the store keeps: one about the endpoint, and one for each of the given kinds. */
export function writeContracts(
  { count, cursor, kinds, contracts }: EndpointContracts,
  changed: Iterable<string>,
): { content: string; kinds: { kind: string; content: string; lastSeen: number }[] } {
  return {
    content: JSON.stringify({
      count,
      cursor,
      kinds: [...kinds].map(([kind, span]) => [kind, toTuple(span)]),
    } satisfies z.input<typeof recordSchema>),
    kinds: [...changed].flatMap((kind) => {
      const contract = contracts.get(kind);
      return contract ? [{ kind, content: writeEventContract(contract), lastSeen: contract.lastSeen }] : [];
    }),
  };
}

export function readStoredContracts(stored: {
  endpoint: string | null;
  kinds: ReadonlyMap<string, string>;
}): EndpointContracts {
  if (stored.endpoint === null) return emptyContracts();
  const { kinds, ...rest } = recordSchema.parse(JSON.parse(stored.endpoint));
  return {
    ...rest,
    kinds: new Map(kinds.map(([kind, span]) => [kind, toSpan(span)])),
    contracts: new Map([...stored.kinds].map(([kind, text]) => [kind, readEventContract(text)])),
  };
}
