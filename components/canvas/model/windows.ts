import type { Window } from "../../../server/contract/window.ts";

/** How far back the canvas counts. */
export type CanvasWindow = Window;

export const defaultWindow: CanvasWindow = "1h";

export const windows: readonly { value: CanvasWindow; label: string }[] = [
  { value: "15m", label: "Last 15 minutes" },
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
];

/** The window that a URL names; the default where it names none. */
export function readWindow(text: string | string[] | undefined): CanvasWindow {
  return windows.find(({ value }) => value === text)?.value ?? defaultWindow;
}
