import type { Duration } from "../duration.ts";
import type { payloadType } from "../definition.ts";

type Scalar = string | number | boolean;

/** A source, or a trigger that was made of one with `.attach()`. */
export type EventSource<Payload> =
  | { readonly [payloadType]?: Payload; readonly slug: string; readonly endpoint: string }
  | { readonly source: { readonly [payloadType]?: Payload; readonly slug: string; readonly endpoint: string } };

/**
 * The values that the payload of an event must have: up to five JSON Pointers into it, each with a string, a number or
 * a boolean. `{ "/order/id": "A1" }` is the payload whose `order.id` is `"A1"`.
 */
export type EventMatch<Payload> = 0 extends 1 & Payload
  ? { readonly [path: string]: Scalar }
  : unknown extends Payload
    ? { readonly [path: string]: Scalar }
    : { readonly [Each in Paths<Payload> as Each[0]]?: Each[1] };

/** Deeper paths are not offered: the types of some senders would become too large. */
type MaxDepth = 5;

/** Each path with the type of its values. */
type Paths<Value, Prefix extends string = "", Depth extends 0[] = []> = Depth["length"] extends MaxDepth
  ? never
  : Value extends readonly (infer Item)[]
    ? PathsAt<Item, `${Prefix}/${number}`, Depth>
    : Value extends object
      ? {
          [Key in keyof Value & (string | number)]-?: PathsAt<Value[Key], `${Prefix}/${Escaped<`${Key}`>}`, Depth>;
        }[keyof Value & (string | number)]
      : never;

type PathsAt<Value, Path extends string, Depth extends 0[]> =
  | ([Extract<Value, Scalar>] extends [never] ? never : [Path, Extract<Value, Scalar>])
  | Paths<Exclude<Value, Scalar | null | undefined>, Path, [...Depth, 0]>;

/** RFC 6901. */
type Escaped<Key extends string> = Replace<Replace<Key, "~", "~0">, "/", "~1">;
type Replace<
  Text extends string,
  From extends string,
  To extends string,
> = Text extends `${infer Head}${From}${infer Tail}` ? `${Head}${To}${Replace<Tail, From, To>}` : Text;

/** When a wait ends without an event, and which deliveries count. */
export interface WaitTimes {
  /** How long to wait for an event, from the call, e.g. `"14d"`. Default: `"7d"`. At most `"366d"`. */
  timeout?: Duration;
  /**
   * Deliveries that were received before do not count: a Date, or an ISO 8601 time with an offset. Default: the time at
   * which the run was accepted. So an event that comes before the call is found.
   */
  since?: Date | string;
}

/** Options of `ctx.waitFor`. */
export interface WaitOptions<Payload> extends WaitTimes {
  /** The values that the payload must have, by JSON Pointer. Default: any payload. */
  match?: EventMatch<Payload>;
}

/** One of the events of `ctx.waitForAny`. */
export interface AwaitedEvent<Payload> {
  source: EventSource<Payload>;
  /** The values that the payload must have, by JSON Pointer. Default: any payload. */
  match?: EventMatch<Payload>;
}
