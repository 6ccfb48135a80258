"use client";

import { useSyncExternalStore } from "react";

const stack: HTMLDialogElement[] = [];
const watchers = new Set<() => void>();

/** Registers an open modal dialog. Returns a function that removes it. */
export function registerDialog(dialog: HTMLDialogElement): () => void {
  stack.push(dialog);
  notify();
  return () => {
    stack.splice(stack.indexOf(dialog), 1);
    notify();
  };
}

/** The topmost modal dialog, or `null`. Elements outside it cannot be clicked. */
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

function notify(): void {
  for (const watcher of watchers) watcher();
}
