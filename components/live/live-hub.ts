import type { FeedRequest, LiveEvent } from "../../server/contract/live.ts";

/**
 * `connecting`: not connected yet. `lost`: the connection failed or ended; it is opened again, with all events since
 * the last one.
 */
export type StreamState = "connecting" | "live" | "lost";

/** From a tab: all feeds that it wants. Repeated, so that the hub knows that the tab still exists. */
export interface TabMessage {
  feeds: FeedRequest[];
}

export type HubMessage = { event: LiveEvent } | { state: StreamState };

/** One end of the connection between a tab and the hub, which is in a SharedWorker or in the tab itself. */
export interface Port<Sent, Received> {
  send(message: Sent): void;
  receive(onMessage: (message: Received) => void): void;
}

export function portOf<Sent, Received>(port: MessagePort): Port<Sent, Received> {
  return {
    send: (message) => port.postMessage(message, []),
    receive(onMessage) {
      port.addEventListener("message", ({ data }) => onMessage(data as Received));
      port.start();
    },
  };
}

export type HubPort = Port<HubMessage, TabMessage>;

/** Opens one stream of feeds. Returns the function that closes it. */
export type OpenStream = (
  feeds: FeedRequest[],
  on: { event: (event: LiveEvent) => void; state: (state: StreamState) => void; end: () => void },
) => () => void;

/** A tab repeats its feeds this often. */
export const repeatMs = 20_000;
/** A tab that is silent for longer is gone: it has crashed, or its page is frozen. */
const silentMs = 65_000;
const retryMs = 2_000;
/** Feeds that begin and end together make one new stream. */
const settleMs = 10;

interface Tab {
  port: HubPort;
  feeds: FeedRequest[];
  seenAt: number;
}

/**
 * Shares one stream among the tabs of a browser, which opens at most six connections to a service over HTTP/1.1. When
 * the feeds change, the stream is opened again and continues where it was.
 */
export function createHub(openStream: OpenStream): { attach(port: HubPort): void } {
  const tabs = new Map<string, Tab>();
  /** The last position of each feed of each tab. */
  const positions = new Map<string, string>();
  let attached = 0;
  let close: (() => void) | null = null;
  let openedFor = "[]";
  let state: StreamState = "connecting";
  let timer: ReturnType<typeof setTimeout> | undefined;

  const wanted = () =>
    [...tabs].flatMap(([name, { feeds }]) =>
      feeds.map((feed) => {
        const id = `${name}.${feed.id}`;
        return { ...feed, id, after: positions.get(id) ?? feed.after };
      }),
    );
  const report = (next: StreamState) => {
    state = next;
    for (const { port } of tabs.values()) port.send({ state });
  };

  const open = () => {
    timer = undefined;
    for (const [name, { seenAt }] of tabs) if (Date.now() - seenAt > silentMs) tabs.delete(name);
    const feeds = wanted();
    const ids = new Set(feeds.map(({ id }) => id));
    for (const id of positions.keys()) if (!ids.has(id)) positions.delete(id);
    close?.();
    close = null;
    openedFor = signatureOf(feeds);
    if (feeds.length === 0) return;
    // Events of a closed stream are ignored.
    let isCurrent = true;
    const stop = openStream(feeds, {
      event: (event) => isCurrent && deliver(event),
      state: (next) => isCurrent && next !== state && report(next),
      end: () => {
        if (!isCurrent) return;
        report("lost");
        schedule(retryMs);
      },
    });
    close = () => {
      isCurrent = false;
      stop();
    };
  };
  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(open, ms);
  };
  const deliver = (event: LiveEvent) => {
    positions.set(event.feed, event.after);
    const [name = "", ...feed] = event.feed.split(".");
    tabs.get(name)?.port.send({ event: { ...event, feed: feed.join(".") } });
  };

  return {
    attach(port) {
      const name = String(attached++);
      port.receive(({ feeds }) => {
        const isNew = !tabs.has(name);
        tabs.set(name, { port, feeds, seenAt: Date.now() });
        if (isNew) port.send({ state });
        if (feeds.length === 0) tabs.delete(name);
        if (signatureOf(wanted()) !== openedFor) schedule(settleMs);
      });
    },
  };
}

/** What distinguishes streams: their feeds without the positions. */
function signatureOf(feeds: readonly FeedRequest[]): string {
  return JSON.stringify(feeds, (key, value: unknown) => (key === "after" ? undefined : value));
}
