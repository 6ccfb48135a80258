"use client";

import { Tooltip as Radix } from "radix-ui";
import type { ReactElement } from "react";
import { useTopDialog } from "./top-dialog.ts";

const delayMs = 400;

/** A hint at one focusable element, on hover and on keyboard focus. */
export function Tooltip({ text, children }: { text: string; children: ReactElement }) {
  // Elements outside a modal dialog are below it.
  const dialog = useTopDialog();
  return (
    <Radix.Provider delayDuration={delayMs} disableHoverableContent>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal container={dialog}>
          <Radix.Content
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-[min(320px,calc(100vw-16px))] rounded-s bg-ink px-2 py-1 text-s text-panel shadow-floating"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
