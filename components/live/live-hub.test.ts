import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FeedRequest } from "../../server/contract/live.ts";
import { createHub, type HubMessage, type OpenStream, type TabMessage } from "./live-hub.ts";

type Stream = { feeds: FeedRequest[]; on: Parameters<OpenStream>[1]; isOpen: boolean };

const pulses = (id: string, after: string | null = null): FeedRequest => ({ id, kind: "pulses", after });

function openHub() {
  const streams: Stream[] = [];
  const hub = createHub((feeds, on) => {
    const stream = { feeds, on, isOpen: true };
    streams.push(stream);
    return () => void (stream.isOpen = false);
  });
  const openTab = () => {
    const received: HubMessage[] = [];
    const listeners: ((message: TabMessage) => void)[] = [];
    hub.attach({ send: (message) => received.push(message), receive: (onMessage) => listeners.push(onMessage) });
    const want = (...feeds: FeedRequest[]) => {
      for (const listener of listeners) listener({ feeds });
      vi.advanceTimersByTime(10);
    };
    return { received, want };
  };
  const last = () => streams.at(-1) ?? { feeds: [], on: { event() {}, state() {}, end() {} }, isOpen: false };
  return { streams, last, openTab };
}

const data = { deliveries: [], missed: 0 };

describe("the hub of a browser's tabs", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("has one open stream for the feeds of all tabs, and each tab gets the events of its own feeds", () => {
    const { streams, last, openTab } = openHub();
    const [one, other] = [openTab(), openTab()];
    one.want(pulses("a"));
    other.want(pulses("a"), pulses("b"));
    expect(streams.filter(({ isOpen }) => isOpen)).toHaveLength(1);
    const [ofOne, , ofOther] = last().feeds;
    last().on.event({ feed: ofOne?.id ?? "", after: "1", data });
    last().on.event({ feed: ofOther?.id ?? "", after: "2", data });
    const eventsOf = ({ received }: typeof one) =>
      received.flatMap((message) => ("event" in message ? [message.event] : []));
    expect(eventsOf(one)).toEqual([{ feed: "a", after: "1", data }]);
    expect(eventsOf(other)).toEqual([{ feed: "b", after: "2", data }]);
  });

  it("continues where it was when feeds begin and end, and after the stream has ended", () => {
    const { streams, last, openTab } = openHub();
    const tab = openTab();
    tab.want(pulses("a"));
    last().on.event({ feed: last().feeds[0]?.id ?? "", after: "7", data });
    tab.want(pulses("a"), pulses("b", "3"));
    expect(last().feeds.map(({ after }) => after)).toEqual(["7", "3"]);
    last().on.state("live");
    last().on.end();
    expect(tab.received.at(-1)).toEqual({ state: "lost" });
    vi.advanceTimersByTime(2_000);
    expect(streams).toHaveLength(3);
    expect(last().feeds.map(({ after }) => after)).toEqual(["7", "3"]);
  });

  it("does not open a stream again for a tab that repeats its feeds, and closes it when no tab has any", () => {
    const { streams, last, openTab } = openHub();
    const tab = openTab();
    tab.want(pulses("a"));
    tab.want(pulses("a"));
    expect(streams).toHaveLength(1);
    tab.want();
    expect(last().isOpen).toBe(false);
    expect(streams).toHaveLength(1);
  });

  it("drops the feeds of a tab that is silent, and has them again when it speaks", () => {
    const { last, openTab } = openHub();
    const [silent, other] = [openTab(), openTab()];
    silent.want(pulses("a"));
    vi.advanceTimersByTime(66_000);
    other.want(pulses("b"));
    expect(last().feeds).toHaveLength(1);
    silent.want(pulses("a"));
    expect(last().feeds).toHaveLength(2);
  });
});
