import type { Window } from "../../../server/contract/traffic.ts";

/** The time window of the canvas. */
export type CanvasWindow = Window;

export const defaultWindow: CanvasWindow = "1h";

export const windows: readonly { value: CanvasWindow; label: string }[] = [
  { value: "15m", label: "Last 15 minutes" },
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
];

/** The time window in a URL, or the default. */
export function readWindow(text: string | string[] | undefined): CanvasWindow {
  return windows.find(({ value }) => value === text)?.value ?? defaultWindow;
}
