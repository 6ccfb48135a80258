import type { ServerResponse } from "node:http";
import type { CredentialsKind } from "./known-credentials.ts";

/**
 * The number of requests that are forwarded at once. The others wait here, so that a flood of them does not fill the
 * turns of the event loop, which webhooks share.
 */
export const maxAtOnce = 8;
/** While requests wait, as many are forwarded again after this time: the first ones may be streams, or wait in web. */
export const periodMs = 25;
/**
 * Requests of a group without known credentials that are forwarded in a period. Each costs more than a rejected
 * webhook.
 */
export const perPeriod = 10;
/** As many may be saved up: the first visit of a page has a hundred requests. */
export const maxSaved = 400;

/**
 * Bytes of responses that are passed back in a period: 10 MB a second for known credentials, 2.6 MB for each of the
 * others. The receiver copies each byte, and collects the buffers.
 */
export const bytesPerPeriod: Readonly<Record<CredentialsKind, number>> = {
  known: 256 * 1024,
  unknown: 64 * 1024,
  none: 64 * 1024,
};
/** Those of as many periods may be saved up. */
export const maxSavedPeriods = 8;

/** Who sent a request. */
interface Sender {
  credentials: CredentialsKind;
  /** `null`: a trusted proxy, which has many clients. */
  network: string | null;
}

interface ForwardTurns {
  /**
   * Calls `start` as soon as it is the request's turn, unless `response` is closed by then. `false`: too many are in
   * progress.
   */
  take(sender: Sender, response: ServerResponse, start: () => void): boolean;
  /** Calls `pass` as soon as this many bytes of the response may be passed back, unless it is closed by then. */
  takeBytes(p: { credentials: CredentialsKind; response: ServerResponse; bytes: number; pass: () => void }): void;
  /** Requests in progress, with those that wait. */
  inProgress(): number;
}

interface Group {
  maxInProgress: number;
  inProgress: number;
  /** Requests that may be forwarded now. */
  left: number;
  maxLeft: number;
  ofNetwork: Map<string, number>;
  waiting: (() => void)[];
  /** Bytes that may be passed back now. Negative: the last ones were too many. */
  bytesLeft: number;
  bytesPerPeriod: number;
  maxBytesLeft: number;
  waitingBytes: { response: ServerResponse; bytes: number; pass: () => void }[];
}

/**
 * Limits the requests in progress, and the bytes of their responses. Those with known credentials have half of
 * `maxInProgress`, those with unknown ones and those without have a quarter each, and one network has half of each. The
 * groups take turns, and the rate of the last two is limited. So a flood without valid credentials, from however many
 * addresses, delays neither people and tokens nor webhooks, and one without credentials does not delay the first
 * request of a token.
 */
export function createForwardTurns(maxInProgress: number): ForwardTurns {
  const groups: Record<CredentialsKind, Group> = {
    known: newGroup("known", maxInProgress / 2, Infinity),
    unknown: newGroup("unknown", maxInProgress / 4, maxSaved),
    none: newGroup("none", maxInProgress / 4, maxSaved),
  };
  /** The one whose turn was longest ago is first. */
  const order = Object.values(groups);
  let taken = 0;
  let period = 0;
  let timer: NodeJS.Timeout | null = null;
  const hasRoom = () => taken < maxAtOnce;

  function startWaiting(): void {
    while (hasRoom()) {
      const at = order.findIndex(({ waiting, left }) => waiting.length > 0 && left > 0);
      const [group] = at < 0 ? [] : order.splice(at, 1);
      if (!group) return;
      order.push(group);
      group.waiting.shift()?.();
    }
  }

  function startTimer(): void {
    timer ??= setInterval(beginPeriod, periodMs);
  }

  function beginPeriod(): void {
    period += 1;
    taken = 0;
    for (const group of order) {
      group.left = Math.min(group.maxLeft, group.left + perPeriod);
      group.bytesLeft = Math.min(group.maxBytesLeft, group.bytesLeft + group.bytesPerPeriod);
      passBytes(group);
    }
    startWaiting();
    if (timer === null || !order.every(isFull)) return;
    clearInterval(timer);
    timer = null;
  }

  return {
    take({ credentials, network }, response, start) {
      const group = groups[credentials];
      const ofNetwork = network === null ? 0 : (group.ofNetwork.get(network) ?? 0);
      if (group.inProgress >= group.maxInProgress || ofNetwork >= Math.max(1, Math.floor(group.maxInProgress / 2)))
        return false;
      addRequests(group, network, 1);
      let takenIn: number | null = null;
      const begin = () => {
        if (response.destroyed) return;
        takenIn = period;
        taken += 1;
        group.left -= 1;
        start();
      };
      if (hasRoom() && group.left > 0) begin();
      else group.waiting.push(begin);
      if (credentials !== "known" || group.waiting.length > 0) startTimer();
      response.once("close", () => {
        addRequests(group, network, -1);
        if (takenIn !== period) return;
        takenIn = null;
        taken -= 1;
        startWaiting();
      });
      return true;
    },
    takeBytes({ credentials, ...part }) {
      const group = groups[credentials];
      group.waitingBytes.push(part);
      passBytes(group);
      startTimer();
    },
    inProgress: () => order.reduce((sum, { inProgress }) => sum + inProgress, 0),
  };
}

function newGroup(kind: CredentialsKind, max: number, maxLeft: number): Group {
  const bytes = bytesPerPeriod[kind];
  const maxBytesLeft = maxSavedPeriods * bytes;
  return {
    maxInProgress: Math.max(1, Math.floor(max)),
    inProgress: 0,
    maxLeft,
    left: maxLeft,
    ofNetwork: new Map(),
    waiting: [],
    bytesPerPeriod: bytes,
    maxBytesLeft,
    bytesLeft: maxBytesLeft,
    waitingBytes: [],
  };
}

/** Nothing waits, and nothing more can be saved up. */
const isFull = (group: Group): boolean =>
  group.waiting.length === 0 &&
  group.left >= group.maxLeft &&
  group.waitingBytes.length === 0 &&
  group.bytesLeft >= group.maxBytesLeft;

function passBytes(group: Group): void {
  while (group.bytesLeft > 0) {
    const next = group.waitingBytes.shift();
    if (!next) return;
    if (next.response.destroyed) continue;
    group.bytesLeft -= next.bytes;
    next.pass();
  }
}

function addRequests(group: Group, network: string | null, count: number): void {
  group.inProgress += count;
  if (network === null) return;
  const left = (group.ofNetwork.get(network) ?? 0) + count;
  if (left > 0) group.ofNetwork.set(network, left);
  else group.ofNetwork.delete(network);
}
