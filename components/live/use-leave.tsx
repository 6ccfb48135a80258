"use client";

import { useRouter } from "next/navigation";
import { useCallback, useEffect } from "react";
import { useLiveness } from "./live.tsx";
import { useToast } from "../ui/overlays/toast.tsx";

const healthTimeoutMs = 3_000;

/**
 * Navigates to another page of the app. If the service is not responding, the browser would replace the current page by
 * an error page. So it checks the service first, and stays on the page if there is no response.
 */
export function useLeave(): (href: string) => void {
  const router = useRouter();
  const toast = useToast();
  const isLost = useIsLost();
  return useCallback(
    (href) => {
      const leave = async () => {
        if (!isLost || (await isResponding())) router.push(href);
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

/** Applies the same check to every link of the app. */
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
    // In the capture phase, before the router's links handle it.
    addEventListener("click", onClick, { capture: true });
    return () => removeEventListener("click", onClick, { capture: true });
  }, [isLost, leave]);
}

function useIsLost(): boolean {
  const liveness = useLiveness();
  return liveness === "reconnecting" || liveness === "paused";
}

async function isResponding(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(healthTimeoutMs) })).ok;
  } catch {
    return false;
  }
}

/**
 * The path that a click opens, if it opens a page of this app in this tab; otherwise `null`. A link with `data-shallow`
 * only changes the URL of the current page (the canvas opens its sheets this way), and needs no service.
 */
function pathOfClick(event: MouseEvent, here: { origin: string }): string | null {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return null;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (
    !(link instanceof HTMLAnchorElement) ||
    link.matches("[download], [data-shallow]") ||
    (link.target !== "" && link.target !== "_self")
  )
    return null;
  const url = new URL(link.href);
  if (url.origin !== here.origin) return null;
  return url.pathname + url.search + url.hash;
}
