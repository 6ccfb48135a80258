import { checkNames, checkOptions, checkText } from "../check-shape.ts";
import type { SourceDefinition, VerificationDefinition } from "../definition.ts";
import type { BodyOptions, DedupeOptions, RateLimitOptions, ReplyOptions } from "../endpoint-settings.ts";
import type { Schema, SchemaInput } from "../schema.ts";
import { defineEndpoint } from "../trigger/define-endpoint.ts";
import type { WebhookSource } from "../trigger/define-webhook-source.ts";
import type { Narrowed, ValidFilter } from "../trigger/filter.ts";
import type { Secret } from "../verify/secrets.ts";
import { z } from "zod/v4";
import type { EventField } from "./event-fields.ts";
import type { Picked, PickablePath } from "./pickable.ts";
import { eventSchema, pickSchema } from "./pick-schema.ts";

/** Options of a typed source. */
interface EventOptions<Slug extends string, Paths extends readonly string[], Filter = Schema> {
  /** Permanent id of the trigger: `[a-z0-9]+(-[a-z0-9]+)*`, at most 64 characters. */
  slug: Slug;
  /** Path of the endpoint: `"github"` is `POST /triggers/github`. Sources of one sender can share it. */
  endpoint: string;
  /**
   * The paths that your code uses, e.g. `"issue.number"`; `"issue.labels[].name"` is the name of every label. The
   * schema has only these, so other changes of the sender cannot reject an event. The payload has only these, too.
   */
  pick: Paths;
  /**
   * The secret with which the sender signs. A list during a rotation. Default: signatures are not verified; an event is
   * then identified by the sender's id.
   */
  secret?: Secret;
  /** A second condition on picked fields. Of a union, the payload's type has only the members that match. Default: none. */
  filter?: Filter;
  /** Maximum rate of requests to the endpoint. Default: the setting `limits.perEndpoint`. */
  rateLimit?: RateLimitOptions;
}

/** The typed sources of one sender. `Events` has the payload of each event. */
export interface EventSources<Events, Headers extends string = never> {
  /**
   * Defines a source for one kind of event: its condition, its signature, the identity of its events, and a schema of
   * the picked paths. Other events are skipped with 200. Attach a workflow or an agent with `.attach()`. Throws a
   * TypeError for an unknown event or path.
   */
  on<
    Event extends keyof Events & string,
    Slug extends string,
    const Paths extends readonly string[],
    Filter extends Schema = never,
  >(
    event: Event,
    options: EventOptions<
      Slug,
      Paths & { readonly [Index in keyof Paths]: PickablePath<Events[Event], Paths[Index] & string> },
      Filter
    > &
      ValidFilter<Picked<Events[Event], Paths[number]>, SchemaInput<Filter>, "add it to pick">,
  ): WebhookSource<
    Slug,
    Narrowed<Picked<Events[Event], Paths[number]>, Picked<Events[Event], Paths[number]>, SchemaInput<Filter>>,
    { [Name in Headers]: string }
  >;
}

/** How one sender names, signs and identifies its events. */
export interface Sender {
  /** E.g. `github`, as in `github.on()`. */
  name: string;
  /** The fields of an event; `null`: it is unknown. */
  findEvent(event: string): EventField | null;
  /** The header that names the event. */
  header?: (event: string) => { name: string; value: string };
  /** The strings in the body that name the event, by path. */
  fixed?: (event: string) => Readonly<Record<string, string>>;
  verify(secret: Secret): VerificationDefinition;
  /** The identity of an event whose signature is verified, and of one without a signature. */
  dedupe: { signed?: DedupeOptions; unsigned?: DedupeOptions };
  /** The format of bodies. Default: the formats of its verification. */
  body?: BodyOptions;
  /** The response that the sender insists on. Default: the JSON with the run ids. */
  reply?: ReplyOptions;
}

export function createEventSources<Events, Headers extends string = never>(
  sender: Sender,
): EventSources<Events, Headers> {
  const on = (event: string, options: PlainOptions): SourceDefinition => {
    const call = `${sender.name}.on(${JSON.stringify(event)})`;
    const field = sender.findEvent(event);
    if (!field) throw new TypeError(`${call}: ${sender.name} has no event ${JSON.stringify(event)}.`);
    checkOptions(options, call, `${sender.name}.on("…", { slug, endpoint, pick })`);
    checkNames(options, call, ["slug", "endpoint", "pick", "secret", "filter", "rateLimit"]);
    const { slug, endpoint, pick, secret, filter, rateLimit } = options;
    checkText(slug, "slug", call, "new-event");
    const isSigned = "secret" in options;
    const dedupe = isSigned ? sender.dedupe.signed : sender.dedupe.unsigned;
    // The field that identifies an event is always required.
    const identity = dedupe?.field === undefined ? [] : [dedupe.field.slice(1).replaceAll("/", ".")];
    const fixed = sender.fixed?.(event) ?? {};
    const request = pickSchema(field, { paths: [...pick, ...identity], fixed, where: call });
    const header = sender.header?.(event);
    const events = defineEndpoint({
      endpoint,
      // An endpoint receives all events of the sender, and senders disable endpoints that respond with errors.
      onMismatch: "skip",
      ...(sender.body && { body: sender.body }),
      ...(sender.reply && { reply: sender.reply }),
      ...(isSigned && { verify: sender.verify(secret) }),
      ...(dedupe && { dedupe }),
      ...(rateLimit && { rateLimit }),
    });
    // `event` is no option for users, so the type of `source` does not have it.
    const own: Parameters<typeof events.source>[0] & { event?: Schema } = {
      slug,
      request,
      ...(Object.keys(fixed).length > 0 && { event: eventSchema(fixed) }),
      ...(header && { headers: z.object({ [header.name]: z.literal(header.value) }) }),
      ...(filter && { filter }),
    };
    return events.source(own);
  };
  // The types of the sources follow from `Events`; at run time one function makes all of them.
  return { on } as unknown as EventSources<Events, Headers>;
}

type PlainOptions = EventOptions<string, readonly string[]>;
