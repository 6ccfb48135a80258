import { createParser, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { deliveryOutcomeSchema } from "../../../server/contract/delivery.ts";
import { windowSchema } from "../../../server/contract/window.ts";

export const verdictChoices = ["matched", "stopped", "request_mismatch", "filter_mismatch"] as const;

/** A moment; anything else in the address is passed over. */
const parseAsMoment = createParser<string>({
  parse: (text) => (Number.isNaN(Date.parse(text)) ? null : new Date(text).toISOString()),
  serialize: (moment) => moment,
});

/** What stands in the address of the list. */
export const deliveryFilterParsers = {
  endpoint: parseAsString,
  outcome: parseAsStringLiteral(deliveryOutcomeSchema.options),
  status: parseAsInteger,
  trigger: parseAsString,
  verdict: parseAsStringLiteral(verdictChoices),
  since: parseAsMoment,
  until: parseAsMoment,
  text: parseAsString,
};

/** How far back the histogram reaches. */
export const windowParser = parseAsStringLiteral(windowSchema.options).withDefault("1h");

export interface DeliveryFilters {
  endpoint: string | null;
  outcome: (typeof deliveryOutcomeSchema.options)[number] | null;
  status: number | null;
  trigger: string | null;
  verdict: (typeof verdictChoices)[number] | null;
  since: string | null;
  until: string | null;
  text: string | null;
}

export const noFilters: DeliveryFilters = {
  endpoint: null,
  outcome: null,
  status: null,
  trigger: null,
  verdict: null,
  since: null,
  until: null,
  text: null,
};

/** Rows of a page. */
export const pageRows = 50;

/** The question to the service: what is not asked for is left out, and so is what could not be answered. */
export function listInput({ endpoint, outcome, status, trigger, verdict, since, until, text }: DeliveryFilters) {
  return {
    ...(endpoint === null ? {} : { endpoint }),
    ...(outcome === null ? {} : { outcome }),
    ...(status === null || status < 100 || status > 599 ? {} : { status }),
    ...(trigger === null ? {} : { trigger }),
    // A verdict is that of a trigger.
    ...(verdict === null || trigger === null ? {} : { verdict }),
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { until }),
    ...(text === null || text === "" ? {} : { text: text.slice(0, 200) }),
    limit: pageRows,
  };
}

/**
 * The question for the histogram: the filters of the list, over the window that ends now or over a stretch further
 * back.
 */
export function histogramInput({
  window,
  now,
  ...filters
}: DeliveryFilters & { window: keyof typeof windowMs; now: number }) {
  const { since, until } = filters;
  const { limit: _, ...on } = listInput({ ...filters, since: null, until: null });
  const begins = now - windowMs[window];
  const isRecent =
    (since === null || Date.parse(since) >= begins - slackMs) && (until === null || Date.parse(until) >= begins);
  if (isRecent) return { ...on, window };
  // The stretch that was chosen, with as much around it.
  const from = since === null ? Date.parse(until ?? "") - windowMs[window] : Date.parse(since);
  const to = until === null ? null : Date.parse(until);
  const margin = to === null ? 0 : Math.max(60_000, (to - from) / 2);
  return {
    ...on,
    since: new Date(from - margin).toISOString(),
    ...(to === null ? {} : { until: new Date(Math.max(to, from + 60_000) + margin).toISOString() }),
  };
}

const windowMs = { "15m": 900_000, "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 };
const slackMs = 600_000;
