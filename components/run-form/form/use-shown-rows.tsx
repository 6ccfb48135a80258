"use client";

import { type ReactNode, useState } from "react";
import { Button } from "../../ui/button.tsx";

const step = 50;

/** Renders long lists in steps: a form of thousands of fields would block the page. */
export function useShownRows<Row>(rows: readonly Row[]): { shown: readonly Row[]; more: ReactNode } {
  const [max, setMax] = useState(step);
  const hidden = rows.length - max;
  const more =
    hidden > 0 ? (
      <div>
        <Button size="s" onClick={() => setMax(max + step)}>
          Show {Math.min(step, hidden)} more of {rows.length}
        </Button>
      </div>
    ) : null;
  return { shown: rows.slice(0, max), more };
}
