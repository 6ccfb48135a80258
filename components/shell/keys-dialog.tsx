"use client";

import { Fragment } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { keyHelp } from "./keys.ts";
import { useModKey } from "./use-platform.ts";

/** The list of all keyboard shortcuts. */
export function KeysDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const mod = useModKey() ?? "Ctrl";
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        {keyHelp.map((section) => (
          <section key={section.name} aria-label={section.name} className="sm:first:row-span-2">
            <h3 className="mb-1.5 text-s font-medium text-ink-3">{section.name}</h3>
            <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-1.5">
              {section.keys.map(({ keys, action }) => (
                <Fragment key={action}>
                  <dt className="flex gap-1">
                    {keys.map((key) => (
                      <kbd
                        key={key}
                        className="min-w-5 rounded-s border border-line-strong bg-raised px-1.5 text-center text-xs/5 text-ink-2"
                      >
                        {key === "mod" ? mod : key}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{action}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
