import type { FeedData, FeedKind, FeedRequest, LiveEvent } from "../../server/contract/live.ts";
import {
  createHub,
  type HubMessage,
  type Port,
  portOf,
  repeatMs,
  type StreamState,
  type TabMessage,
} from "./live-hub.ts";
import { streamsOf } from "./open-stream.ts";

/** A feed without what the client adds. */
export type FeedParams = FeedRequest extends infer Feed ? (Feed extends unknown ? Omit<Feed, "id"> : never) : never;

export interface LiveClient {
  /** `onEvent` gets the data of each event, once and in order. */
  subscribe<Kind extends FeedKind>(
    feed: FeedParams & { kind: Kind },
    onEvent: (data: FeedData[Kind]) => void,
  ): { change(feed: FeedParams): void; end(): void };
  /** `onState` gets each new state of the stream. Returns the function that disconnects. */
  connect(onState: (state: StreamState) => void): () => void;
  /** A paused client has no feeds. Later, each continues where it was. */
  pause(isPaused: boolean): void;
}

interface OpenFeed {
  request: FeedRequest;
  onEvent: (data: never) => void;
}

/** The live data of this tab. */
export function createLiveClient(): LiveClient {
  const feeds = new Map<string, OpenFeed>();
  let port: TabPort | null = null;
  let counted = 0;
  let isPaused = false;
  let isSending = false;
  const send = () => port?.send({ feeds: isPaused ? [] : [...feeds.values()].map(({ request }) => request) });
  // Feeds that begin and end in the same task are one message.
  const sendSoon = () => {
    if (isSending) return;
    isSending = true;
    queueMicrotask(() => {
      isSending = false;
      send();
    });
  };
  const handle = ({ feed: id, after, data }: LiveEvent) => {
    const feed = feeds.get(id);
    if (!feed) return;
    feed.request = { ...feed.request, after };
    feed.onEvent(data as never);
  };
  return {
    subscribe(feed, onEvent) {
      const id = String(counted++);
      feeds.set(id, { request: { ...feed, id } as FeedRequest, onEvent });
      sendSoon();
      return {
        change(params) {
          const known = feeds.get(id);
          if (known) known.request = { ...params, id, after: known.request.after } as FeedRequest;
          sendSoon();
        },
        end() {
          feeds.delete(id);
          sendSoon();
        },
      };
    },
    connect(onState) {
      const onMessage = (message: HubMessage) => ("state" in message ? onState(message.state) : handle(message.event));
      port = openPort(onMessage, (other) => {
        port = other;
        send();
      });
      send();
      const timer = setInterval(send, repeatMs);
      const leave = () => port?.send({ feeds: [] });
      addEventListener("pagehide", leave);
      addEventListener("pageshow", send);
      return () => {
        clearInterval(timer);
        removeEventListener("pagehide", leave);
        removeEventListener("pageshow", send);
        leave();
        port = null;
      };
    },
    pause(next) {
      isPaused = next;
      send();
    },
  };
}

type TabPort = Port<TabMessage, HubMessage>;

/** Connects to the hub of the browser, or to one of this tab if there is no SharedWorker. */
function openPort(onMessage: (message: HubMessage) => void, onOther: (port: TabPort) => void): TabPort {
  const attach = (end: MessagePort) => {
    const port: TabPort = portOf(end);
    port.receive(onMessage);
    return port;
  };
  const connectHere = () => {
    const { port1, port2 } = new MessageChannel();
    createHub(streamsOf(location.origin)).attach(portOf(port2));
    return attach(port1);
  };
  if (typeof SharedWorker === "undefined") return connectHere();
  const worker = new SharedWorker(new URL("./live-worker.ts", import.meta.url), { name: "signalbox live" });
  worker.addEventListener("error", () => onOther(connectHere()));
  return attach(worker.port);
}
