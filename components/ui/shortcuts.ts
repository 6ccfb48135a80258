/** Global commands of keyboard shortcuts. */
export type KeyCommand = "search" | "filter" | "canvas" | "deliveries" | "runs" | "theme" | "help";

export interface PressedKey {
  key: string;
  /** The physical key, for example `KeyK`. */
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** `pending`: the first key of a pair, if pressed. */
export interface KeyReading {
  command: KeyCommand | null;
  pending: "g" | null;
}

const single: Record<string, KeyCommand> = { "/": "filter", "?": "help", t: "theme" };
const afterG: Record<string, KeyCommand> = { c: "canvas", d: "deliveries", r: "runs" };

const nothing: KeyReading = { command: null, pending: null };

/**
 * The command of a key, depending on the previous key. While the user types in a field, or has disabled single
 * keys, only the search shortcut works.
 */
export function readKey(
  pressed: PressedKey,
  { pending, isTyping, hasSingleKeys }: { pending: "g" | null; isTyping: boolean; hasSingleKeys: boolean },
): KeyReading {
  const key = letterOf(pressed);
  const hasModifier = pressed.ctrlKey || pressed.metaKey || pressed.altKey;
  if (key === "k" && pressed.ctrlKey !== pressed.metaKey && !pressed.altKey && !pressed.shiftKey)
    return { command: "search", pending: null };
  if (hasModifier || isTyping || !hasSingleKeys) return nothing;
  if (pending === "g") return { command: afterG[key] ?? null, pending: null };
  if (key === "g") return { command: null, pending: "g" };
  return { command: single[key] ?? null, pending: null };
}

/** The typed character. For non-Latin letters, the Latin letter of the physical key. */
function letterOf({ key, code }: PressedKey): string {
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  const isForeign = key.length === 1 && key > "\u007f";
  return (isForeign && letter ? letter : key).toLowerCase();
}

export interface KeyHelp {
  keys: readonly string[];
  action: string;
}

/** All shortcuts, for the dialog that lists them. `mod` is ⌘ on Apple devices and Ctrl elsewhere. */
export const keyHelp: readonly { name: string; keys: readonly KeyHelp[] }[] = [
  {
    name: "Everywhere",
    keys: [
      { keys: ["mod", "K"], action: "Search names and ids" },
      { keys: ["/"], action: "Focus the filter" },
      { keys: ["g", "c"], action: "Go to the canvas" },
      { keys: ["g", "d"], action: "Go to the deliveries" },
      { keys: ["g", "r"], action: "Go to the runs" },
      { keys: ["t"], action: "Next theme: light, dark, system" },
      { keys: ["Esc"], action: "Close the open panel" },
      { keys: ["?"], action: "Show this list" },
    ],
  },
  {
    name: "Lists",
    keys: [
      { keys: ["j"], action: "Next row" },
      { keys: ["k"], action: "Previous row" },
      { keys: ["↵"], action: "Open the row" },
      { keys: ["Space"], action: "Select the row" },
      { keys: ["⇧", "Space"], action: "Select up to this row" },
    ],
  },
  {
    name: "Runs and deliveries",
    keys: [
      { keys: ["j"], action: "Next of the list" },
      { keys: ["k"], action: "Previous of the list" },
    ],
  },
  {
    name: "Canvas",
    keys: [
      { keys: ["←", "→", "↑", "↓"], action: "Move between nodes" },
      { keys: ["↵"], action: "Open the node" },
      { keys: ["f"], action: "Fit all nodes into the window" },
      { keys: ["+", "-"], action: "Zoom in, zoom out" },
    ],
  },
  {
    name: "Forms",
    keys: [{ keys: ["mod", "↵"], action: "Send or run" }],
  },
];

const storageKey = "signalbox.single-keys";
const changed = "signalbox:single-keys";

/**
 * Whether keys without a modifier are shortcuts: `/`, `j`, `g r`. Speech input and some keyboards press them by
 * accident, so a user can disable them in this browser.
 */
export function hasSingleKeys(): boolean {
  try {
    return localStorage.getItem(storageKey) !== "off";
  } catch {
    return true;
  }
}

/** Without storage, the keys stay on. */
export function setSingleKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, "off");
  } catch {
    // Storage may be blocked in private windows.
  }
  dispatchEvent(new Event(changed));
}

/** Calls the listener when the setting changes, here or in another tab. */
export function watchSingleKeys(listener: () => void): () => void {
  addEventListener(changed, listener);
  addEventListener("storage", listener);
  return () => {
    removeEventListener(changed, listener);
    removeEventListener("storage", listener);
  };
}
