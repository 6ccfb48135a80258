"use client";

import { Button } from "../ui/button.tsx";
import { EmptyFace } from "../ui/faces.tsx";

/** What the list shows when there is nothing: how to begin, or how to see more. */
export function RunsEmpty({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyFace title="No run matches">
        <p>There may be runs, but none that fits all of these filters.</p>
        <Button className="mt-3" onClick={onClear}>
          Clear all filters
        </Button>
      </EmptyFace>
    );
  }
  return (
    <EmptyFace title="No runs yet">
      <p>
        A run starts when a webhook matches a trigger, when you press “Run” at a workflow on the canvas, or from the
        command line:
      </p>
      <pre
        tabIndex={0}
        role="region"
        aria-label="A command that starts a run"
        className="mt-3 overflow-x-auto rounded-m border bg-sunken px-3 py-2 text-s text-ink"
      >
        {`npx signalbox triggers send <trigger> --data '{ … }'`}
      </pre>
    </EmptyFace>
  );
}
