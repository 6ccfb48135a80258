"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useEffect, useEffectEvent, useState } from "react";
import { navigationStart } from "../../instrumentation-client.ts";

/**
 * A line at the top while another page loads. The current page stays until then: a skeleton would show for longer than
 * most pages take.
 */
export function NavigationProgress() {
  const here = `${usePathname()}?${useSearchParams()}`;
  const [shown, setShown] = useState(here);
  const [isLoading, setIsLoading] = useState(false);
  // The page of the new address is there.
  if (shown !== here) {
    setShown(here);
    setIsLoading(false);
  }
  const begin = useEffectEvent((url: string) => {
    const { pathname, searchParams } = new URL(url, location.href);
    setIsLoading(`${pathname}?${searchParams}` !== here);
  });
  useEffect(() => {
    const listen = (event: Event) => {
      if (event instanceof CustomEvent) begin(String(event.detail));
    };
    addEventListener(navigationStart, listen);
    return () => removeEventListener(navigationStart, listen);
  }, []);
  if (!isLoading) return null;
  return (
    <div
      role="progressbar"
      aria-label="Loading the page"
      className="fixed inset-x-0 top-0 z-30 h-0.5 origin-left animate-progress bg-accent"
    />
  );
}
