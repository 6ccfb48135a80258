/** Limits for concurrent and waiting tasks. A group is a route or an account; a member is a client network. */
interface SlotLimits {
  maxActive: number;
  maxActivePerGroup: number;
  maxWaiting: number;
  maxWaitingPerGroup: number;
  /** Running and waiting tasks of one member in one group. Default: no limit. */
  maxPerMember?: number;
  maxWaitMs: number;
}

export interface Slots {
  /**
   * Resolves with the function that releases the slot, immediately or after a wait. `null`: too many tasks are waiting,
   * or the wait was too long.
   */
  acquire(group: string, member?: string): Promise<(() => void) | null>;
}

interface Group {
  active: number;
  waiting: { start: () => void }[];
  members: Map<string, number>;
}

/** A semaphore with short queues. Groups take turns, so that a flood of one does not delay the others. */
export function createSlots(limits: SlotLimits): Slots {
  const {
    maxActive,
    maxActivePerGroup,
    maxWaiting,
    maxWaitingPerGroup,
    maxPerMember = Number.POSITIVE_INFINITY,
    maxWaitMs,
  } = limits;
  /** In the order of their turns. */
  const groups = new Map<string, Group>();
  let active = 0;
  let waiting = 0;

  const hasRoom = (group: Group) => active < maxActive && group.active < maxActivePerGroup;

  function begin(name: string, group: Group, member: string): () => void {
    active += 1;
    group.active += 1;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      active -= 1;
      group.active -= 1;
      leave(name, group, member);
      startNext();
    };
  }

  function leave(name: string, group: Group, member: string): void {
    const count = (group.members.get(member) ?? 0) - 1;
    if (count > 0) group.members.set(member, count);
    else group.members.delete(member);
    if (group.active === 0 && group.waiting.length === 0) groups.delete(name);
  }

  function startNext(): void {
    for (const [name, group] of groups) {
      if (group.waiting.length === 0 || !hasRoom(group)) continue;
      groups.delete(name);
      groups.set(name, group);
      group.waiting.shift()?.start();
      return;
    }
  }

  return {
    async acquire(name, member = "") {
      const group: Group = groups.get(name) ?? { active: 0, waiting: [], members: new Map() };
      const ofMember = group.members.get(member) ?? 0;
      if (ofMember >= maxPerMember) return null;
      const startsNow = group.waiting.length === 0 && hasRoom(group);
      if (!startsNow && (waiting >= maxWaiting || group.waiting.length >= maxWaitingPerGroup)) return null;
      groups.set(name, group);
      group.members.set(member, ofMember + 1);
      if (startsNow) return begin(name, group, member);
      waiting += 1;
      return new Promise((resolve) => {
        const entry = {
          start() {
            clearTimeout(timer);
            waiting -= 1;
            resolve(begin(name, group, member));
          },
        };
        const timer = setTimeout(() => {
          waiting -= 1;
          group.waiting.splice(group.waiting.indexOf(entry), 1);
          leave(name, group, member);
          resolve(null);
        }, maxWaitMs);
        group.waiting.push(entry);
      });
    },
  };
}
