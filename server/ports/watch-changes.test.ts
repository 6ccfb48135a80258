import { describe, expect, it } from "vitest";
import { watchChanges } from "./watch-changes.ts";

function fakeStore() {
  const listeners = new Set<() => void>();
  return {
    listeners,
    write: () => listeners.forEach((listener) => listener()),
    watch(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

describe("waiting for changes", () => {
  it("wakes at the next change", async () => {
    const store = fakeStore();
    const changes = watchChanges(store, new AbortController().signal);
    const woken = changes.next();
    store.write();
    await expect(woken).resolves.toBeUndefined();
  });

  it("does not lose a change that comes between two waits", async () => {
    const store = fakeStore();
    const changes = watchChanges(store, new AbortController().signal);
    store.write();
    await expect(changes.next()).resolves.toBeUndefined();
  });

  it("takes many changes between two waits as one", async () => {
    const store = fakeStore();
    const changes = watchChanges(store, new AbortController().signal);
    store.write();
    store.write();
    await changes.next();
    const later = changes.next();
    const state = await Promise.race([later.then(() => "woken"), Promise.resolve("waiting")]);
    expect(state).toBe("waiting");
  });

  it("ends its wait and lets go of the store when it is aborted", async () => {
    const store = fakeStore();
    const stop = new AbortController();
    const woken = watchChanges(store, stop.signal).next();
    stop.abort();
    await expect(woken).resolves.toBeUndefined();
    expect(store.listeners.size).toBe(0);
  });

  it("lets go of the store when it is stopped", () => {
    const store = fakeStore();
    const changes = watchChanges(store, new AbortController().signal);
    expect(store.listeners.size).toBe(1);
    changes.stop();
    expect(store.listeners.size).toBe(0);
  });
});
