import type { Settings } from "../../../server/config.ts";

/** Names of the settings that differ. A service takes its settings when it starts. */
export function changedSettings(before: Settings, after: Settings): string[] {
  return Object.entries(after).flatMap(([name, value]) => {
    const [, old] = Object.entries(before).find(([other]) => other === name) ?? [];
    return JSON.stringify(old) === JSON.stringify(value) ? [] : [name];
  });
}
