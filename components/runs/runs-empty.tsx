"use client";

import { Button } from "../ui/button.tsx";
import { EmptyFace } from "../ui/faces.tsx";

/** The empty list: how to start the first run, or how to clear the filters. */
export function RunsEmpty({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyFace title="No runs match these filters">
        <p>Clear a filter to see more runs.</p>
        <Button className="mt-3" onClick={onClear}>
          Clear all filters
        </Button>
      </EmptyFace>
    );
  }
  return (
    <EmptyFace title="No runs yet">
      <p>
        Runs of workflows and agents appear here. A run starts when a webhook matches a trigger, when you click “Run” on
        a workflow in the canvas, or from the command line:
      </p>
      <pre
        tabIndex={0}
        role="region"
        aria-label="Command that starts a run"
        className="mt-3 overflow-x-auto rounded-m border bg-sunken px-3 py-2 text-s text-ink"
      >
        {`npx signalbox triggers send <trigger> --data '{ … }'`}
      </pre>
    </EmptyFace>
  );
}
