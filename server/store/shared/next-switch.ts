interface Switch {
  disabledAt: number | null;
  reason: string | null;
}

/**
 * What a switch is turned to; `next: null`: it is as it is to be. One that is off keeps its time, and its reason until
 * another is given.
 */
export function nextSwitch(
  old: Switch | undefined,
  disable: { at: number; reason: string | null } | null,
): { wasOff: boolean; next: Switch | null } {
  const wasOff = old !== undefined && old.disabledAt !== null;
  if (disable === null) return { wasOff, next: wasOff ? { disabledAt: null, reason: null } : null };
  return {
    wasOff,
    next: wasOff
      ? { disabledAt: old.disabledAt, reason: disable.reason ?? old.reason }
      : { disabledAt: disable.at, reason: disable.reason },
  };
}
