"use client";

import { useEffect } from "react";
import "./globals.css";
import { endEarlyClicks } from "../components/shell/early-clicks.tsx";
import { ErrorState } from "../components/ui/states.tsx";

/** Error boundary of the root layout. The most frequent cause: the server could not start. */
export default function GlobalError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  useEffect(endEarlyClicks, []);
  return (
    <html lang="en">
      <body>
        <title>Signalbox is unavailable</title>
        <ErrorState
          title="Signalbox is unavailable"
          message={error.digest ? `The server log has the details under digest ${error.digest}.` : error.message}
          retry={reset}
        />
      </body>
    </html>
  );
}
