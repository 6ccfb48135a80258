"use client";

import { PageFrame } from "../components/shell/page-frame.tsx";
import { ErrorState } from "../components/ui/states.tsx";

/** Error boundary of a page. In production React hides the message and provides a digest, which the log contains too. */
export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const message = error.digest ? `The server log has the details under digest ${error.digest}.` : error.message;
  return (
    <PageFrame>
      <title>Something went wrong · Signalbox</title>
      <div className="rounded-l border bg-panel">
        <ErrorState title="Something went wrong" message={message} retry={reset} />
      </div>
    </PageFrame>
  );
}
