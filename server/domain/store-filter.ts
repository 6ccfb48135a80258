import { timestampMs } from "../contract/list.ts";
import { dropUndefined } from "./drop-undefined.ts";

/** The fields as the store takes them: without absent ones, and with times in UTC milliseconds. */
export type StoreFilter<Fields> = {
  [Field in keyof Fields]?: Field extends "since" | "until" ? number : Exclude<Fields[Field], undefined>;
};

type Moments = { [Field in "since" | "until"]?: string | undefined };

export function toStoreFilter<Fields extends Moments>({ since, until, ...others }: Fields) {
  return dropUndefined({ ...others, since: timestampMs(since), until: timestampMs(until) });
}
