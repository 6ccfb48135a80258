"use client";

import { type ReactNode, useState } from "react";
import { Button } from "../../ui/button.tsx";

const step = 50;

/** Long lists are drawn piece by piece: a form of thousands of fields would hold the page. */
export function useShownRows<Row>(rows: readonly Row[]): { shown: readonly Row[]; more: ReactNode } {
  const [most, setMost] = useState(step);
  const hidden = rows.length - most;
  const more =
    hidden > 0 ? (
      <div>
        <Button size="s" onClick={() => setMost(most + step)}>
          Show {Math.min(step, hidden)} more of {rows.length}
        </Button>
      </div>
    ) : null;
  return { shown: rows.slice(0, most), more };
}
