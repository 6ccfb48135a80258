import { useSyncExternalStore } from "react";

const stack: HTMLDialogElement[] = [];
const watchers = new Set<() => void>();

const tell = () => {
  for (const watcher of watchers) watcher();
};

/** Says that a modal dialog is open; the answer takes it back. */
export function registerDialog(dialog: HTMLDialogElement): () => void {
  stack.push(dialog);
  tell();
  return () => {
    stack.splice(stack.indexOf(dialog), 1);
    tell();
  };
}

/** The modal dialog on top, or `null`. Whatever lies outside it is under its veil and cannot be clicked. */
export function useTopDialog(): HTMLDialogElement | null {
  return useSyncExternalStore(
    watch,
    () => stack.at(-1) ?? null,
    () => null,
  );
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
  };
}
