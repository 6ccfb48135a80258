"use client";

import { useRouter } from "next/navigation";
import { useCallback, useEffect } from "react";
import { useLiveness } from "../trpc/live.tsx";
import { useToast } from "../ui/toast.tsx";
import { pathOfClick } from "./path-of-click.ts";

const patienceMs = 3_000;

/**
 * Goes to another page of ours. While the service does not answer, that would end on the browser's own error page, and
 * what is shown here would be lost: it is asked first, and one stays where one is.
 */
export function useLeave(): (href: string) => void {
  const router = useRouter();
  const toast = useToast();
  const isLost = useIsLost();
  return useCallback(
    (href) => {
      const leave = async () => {
        if (!isLost || (await doesAnswer())) router.push(href);
        else
          toast({
            tone: "wait",
            text: "The service is not responding, so this page stays open. Try again in a moment.",
          });
      };
      void leave();
    },
    [isLost, router, toast],
  );
}

/** The same for every link of the app. */
export function useGuardedLinks(): void {
  const isLost = useIsLost();
  const leave = useLeave();
  useEffect(() => {
    if (!isLost) return;
    const onClick = (event: MouseEvent) => {
      const path = pathOfClick(event, location);
      if (path === null) return;
      event.preventDefault();
      event.stopPropagation();
      leave(path);
    };
    // Before the router's own links hear of it.
    addEventListener("click", onClick, { capture: true });
    return () => removeEventListener("click", onClick, { capture: true });
  }, [isLost, leave]);
}

function useIsLost(): boolean {
  const liveness = useLiveness();
  return liveness === "reconnecting" || liveness === "paused";
}

async function doesAnswer(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(patienceMs) })).ok;
  } catch {
    return false;
  }
}
