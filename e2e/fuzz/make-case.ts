import { drawCase } from "./draw.ts";
import { mutateRequest } from "./mutate-request.ts";
import type { FuzzRequest, FuzzRoute, FuzzValues } from "./request.ts";
import { type Wire, writeWire } from "./write-wire.ts";

export interface FuzzCase {
  number: number;
  route: string;
  /** The names of the changes. */
  mutations: readonly string[];
  /** The request has the sensitive value, which its own response may show. */
  hasSensitive: boolean;
  wire: Wire;
}

const includes = ({ target, headers, body }: FuzzRequest, text: string) =>
  [target, ...headers.flat(), body ?? ""].some((part) => part.includes(text));

/** The case of a number: always the same bytes for the same seed, routes and values. The routes take turns. */
export function makeCase(
  p: { seed: number; routes: readonly FuzzRoute[]; values: FuzzValues },
  number: number,
): FuzzCase {
  const draw = drawCase(p.seed, number);
  const route = p.routes[number % p.routes.length];
  if (!route) throw new Error("there are no routes");
  const request = route.request(draw, p.values);
  const hadSensitive = includes(request, p.values.sensitive);
  const mutations = mutateRequest(draw, request);
  // Neither compressed nor in another charset, and not in the bytes on the wire, which chunks can cut.
  const hasSensitive = hadSensitive || includes(request, p.values.sensitive);
  return { number, route: route.name, mutations, hasSensitive, wire: writeWire(draw, request) };
}
