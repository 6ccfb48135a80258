import type { ServerResponse } from "node:http";

/**
 * The number of requests that are forwarded at once. The others wait here, so that a flood of them does not fill the
 * turns of the event loop, which webhooks share.
 */
export const maxAtOnce = 8;
/** While requests wait, as many are forwarded again after this time: the first ones may be streams, or wait in web. */
export const periodMs = 25;
/**
 * Bytes of responses in such a period. After more of them, one request is forwarded at a time: the receiver copies each
 * byte, and collects the buffers.
 */
export const maxBytesPerPeriod: number = 512 * 1024;

/** Requests of others that are forwarded in a period. Each costs the receiver more than a rejected webhook. */
export const othersPerPeriod = 10;
/** As many may be saved up: the first visit of a page has a hundred requests. */
export const maxOthersSaved = 400;

/** More bytes than these do not slow down later periods. */
const maxDebtBytes = 4 * maxBytesPerPeriod;

/** Who sent a request. */
interface Sender {
  /** Web accepted its credentials before. */
  isKnown: boolean;
  /** `null`: a trusted proxy, which has many clients. */
  network: string | null;
}

interface ForwardTurns {
  /**
   * Calls `start` as soon as it is the request's turn, unless `response` is closed by then. `false`: too many are in
   * progress.
   */
  take(sender: Sender, response: ServerResponse, start: () => void): boolean;
  /** Counts bytes of a response. */
  passed(bytes: number): void;
  /** Requests in progress, with those that wait. */
  inProgress(): number;
}

interface Group {
  inProgress: number;
  /** Requests that may be forwarded now. */
  left: number;
  ofNetwork: Map<string, number>;
  waiting: (() => void)[];
}

/**
 * Limits the requests in progress. Those with known credentials have half of `maxInProgress`, all others have the other
 * half, and one network has half of each. Both groups take turns, and the rate of the others is limited. So a flood
 * without valid credentials, from however many addresses, delays neither people and tokens nor webhooks.
 */
export function createForwardTurns(maxInProgress: number): ForwardTurns {
  const maxOfGroup = Math.max(1, Math.floor(maxInProgress / 2));
  const maxOfNetwork = Math.max(1, Math.floor(maxOfGroup / 2));
  const groups = {
    known: newGroup(Infinity),
    others: newGroup(maxOthersSaved),
  };
  let nextGroup = groups.known;
  let taken = 0;
  let bytes = 0;
  let period = 0;
  let timer: NodeJS.Timeout | null = null;
  // A long download must not stop all others.
  const hasRoom = () => taken < (bytes < maxBytesPerPeriod ? maxAtOnce : 1);
  const otherThan = (group: Group) => (group === groups.others ? groups.known : groups.others);

  function startWaiting(): void {
    while (hasRoom()) {
      const group = [nextGroup, otherThan(nextGroup)].find(({ waiting, left }) => waiting.length > 0 && left > 0);
      if (!group) return;
      nextGroup = otherThan(group);
      group.waiting.shift()?.();
    }
  }

  function startTimer(): void {
    timer ??= setInterval(beginPeriod, periodMs);
  }

  function beginPeriod(): void {
    period += 1;
    taken = 0;
    bytes = Math.min(Math.max(0, bytes - maxBytesPerPeriod), maxDebtBytes);
    const { known, others } = groups;
    others.left = Math.min(maxOthersSaved, others.left + othersPerPeriod);
    startWaiting();
    const isWaiting = known.waiting.length + others.waiting.length > 0;
    const isNeeded = bytes > 0 || isWaiting || others.left < maxOthersSaved;
    if (isNeeded || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  return {
    take({ isKnown, network }, response, start) {
      const group = isKnown ? groups.known : groups.others;
      const ofNetwork = network === null ? 0 : (group.ofNetwork.get(network) ?? 0);
      if (group.inProgress >= maxOfGroup || ofNetwork >= maxOfNetwork) return false;
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
      if (!isKnown || group.waiting.length > 0) startTimer();
      response.once("close", () => {
        addRequests(group, network, -1);
        if (takenIn !== period) return;
        takenIn = null;
        taken -= 1;
        startWaiting();
      });
      return true;
    },
    passed(count) {
      bytes += count;
      startTimer();
    },
    inProgress: () => groups.known.inProgress + groups.others.inProgress,
  };
}

const newGroup = (left: number): Group => ({ inProgress: 0, left, ofNetwork: new Map(), waiting: [] });

function addRequests(group: Group, network: string | null, count: number): void {
  group.inProgress += count;
  if (network === null) return;
  const left = (group.ofNetwork.get(network) ?? 0) + count;
  if (left > 0) group.ofNetwork.set(network, left);
  else group.ofNetwork.delete(network);
}
