/** A key that encrypted content of a store. Times are UTC milliseconds. */
export interface UsedContentKey {
  /** See `contentKeyId`. */
  id: string;
  /** When it first encrypted something. */
  since: number;
  /** When another key replaced it, or encryption was turned off; `null`: it encrypts what is written now. */
  retiredAt: number | null;
}

/** What a process that opens a store has to do about its keys. */
interface ContentKeyPlan {
  /** Keys that the content can need, and that are not configured. */
  missing: string[];
  /** Keys whose content was removed. */
  forgotten: string[];
  /** The rows to write; empty if nothing changed. */
  changed: UsedContentKey[];
}

/** Machines of a shared store do not start at the same moment: a retired key can be in use for this long. */
const retirementMs = 24 * 60 * 60 * 1000;

/** `oldestAt`: the time of the oldest delivery or run; `null`: there is none. */
export function planContentKeys(p: {
  used: readonly UsedContentKey[];
  configured: readonly string[];
  /** The key that encrypts from now on; `null`: nothing is encrypted. */
  writing: string | null;
  oldestAt: number | null;
  now: number;
}): ContentKeyPlan {
  const { used, configured, writing, oldestAt, now } = p;
  const absent = used.filter(({ id }) => !configured.includes(id));
  const forgotten = absent.filter((key) => isUnneeded(key, oldestAt)).map(({ id }) => id);
  const retired = used.filter(({ id, retiredAt }) => id !== writing && retiredAt === null && !forgotten.includes(id));
  const current = used.find(({ id }) => id === writing);
  return {
    missing: absent.map(({ id }) => id).filter((id) => !forgotten.includes(id)),
    forgotten,
    changed: [
      ...retired.map((key) => ({ ...key, retiredAt: now })),
      ...(writing === null || (current && current.retiredAt === null)
        ? []
        : [{ id: writing, since: current?.since ?? now, retiredAt: null }]),
    ],
  };
}

/** Whether the content that the key encrypted was removed. */
export function isUnneeded({ retiredAt }: UsedContentKey, oldestAt: number | null): boolean {
  return oldestAt === null || (retiredAt !== null && oldestAt > retiredAt + retirementMs);
}
