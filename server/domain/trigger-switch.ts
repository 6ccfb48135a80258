interface TriggerSwitch {
  /** UTC milliseconds; `null`: the trigger is enabled. */
  disabledAt: number | null;
  reason: string | null;
}

/**
 * The next state of a trigger's switch; `next: null`: nothing changes. A trigger that is already disabled keeps its
 * time, and its reason unless there is a new one.
 */
export function planSwitch(
  old: TriggerSwitch | undefined,
  disable: { at: number; reason: string | null } | null,
): { wasDisabled: boolean; next: TriggerSwitch | null } {
  const disabledAt = old?.disabledAt ?? null;
  const wasDisabled = disabledAt !== null;
  if (disable === null) return { wasDisabled, next: wasDisabled ? { disabledAt: null, reason: null } : null };
  return {
    wasDisabled,
    next: {
      disabledAt: disabledAt ?? disable.at,
      reason: disable.reason ?? (wasDisabled ? (old?.reason ?? null) : null),
    },
  };
}
