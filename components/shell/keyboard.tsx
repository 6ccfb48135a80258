"use client";

import { usePathname } from "next/navigation";
import {
  createContext,
  Fragment,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { SearchDialog } from "../search/search-dialog.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { isTyping, keepFocus } from "../ui/focus.ts";
import { hasSingleKeys, type KeyCommand, keyHelp, readKey, setSingleKeys, watchSingleKeys } from "../ui/shortcuts.ts";
import { chooseTheme, nextTheme, readTheme } from "../ui/theme.ts";
import { useGuardedLinks, useLeave } from "../live/use-leave.tsx";
import { useModKey } from "../ui/browser.ts";

/** Maximum time between the two keys of a pair. */
const pairMs = 1_200;

type Opened = "search" | "keys" | null;

const OpenContext = createContext<(what: Opened) => void>(() => {});

/** Opens the search or the list of shortcuts. */
export const useOpen = () => useContext(OpenContext);

/** Handles the global keyboard shortcuts. Lists and the canvas handle their own keys. */
export function Keyboard({ children }: { children: ReactNode }) {
  const [opened, setOpened] = useState<Opened>(null);
  const handleCommand = useCommandHandler(setOpened);
  useRouteFocus();
  useGuardedLinks();
  const pair = useRef<{ pending: "g" | null; at: number }>({ pending: null, at: 0 });
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || ["Shift", "Control", "Meta", "Alt"].includes(event.key)) return;
    const pending = event.timeStamp - pair.current.at < pairMs ? pair.current.pending : null;
    const reading = readKey(event, { pending, isTyping: isTyping(event), hasSingleKeys: hasSingleKeys() });
    pair.current = { pending: reading.pending, at: event.timeStamp };
    if (reading.command && handleCommand(reading.command)) event.preventDefault();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  const close = useMemo(() => () => setOpened(null), []);
  return (
    <OpenContext value={setOpened}>
      {children}
      {opened === "search" && <SearchDialog onClose={close} onShowKeys={() => setOpened("keys")} />}
      <KeysDialog isOpen={opened === "keys"} onClose={close} />
    </OpenContext>
  );
}

/** Executes a shortcut. Returns whether it did something. */
function useCommandHandler(open: (what: Opened) => void): (command: KeyCommand) => boolean {
  const leave = useLeave();
  return (command) => {
    const modal = document.querySelector("dialog:modal");
    if (modal && command !== "search") return false;
    if (command === "search") open("search");
    else if (command === "help") open("keys");
    else if (command === "theme") chooseTheme(nextTheme(readTheme()));
    else if (command === "filter") return focusFilter();
    else leave({ canvas: "/", deliveries: "/deliveries", runs: "/runs" }[command]);
    return true;
  };
}

function focusFilter(): boolean {
  const inputs = [...document.querySelectorAll<HTMLInputElement>("input[data-filter-input]")];
  const input = inputs.find((one) => one.checkVisibility());
  input?.focus();
  input?.select();
  return input !== undefined;
}

/** Moves the focus to the content of a new page: the clicked link is gone, and keys scroll what has the focus. */
function useRouteFocus(): void {
  const path = usePathname();
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    keepFocus();
  }, [path]);
}

/** Whether keys without a modifier are shortcuts, in this browser. */
function SingleKeysSwitch() {
  const isOn = useSyncExternalStore(watchSingleKeys, hasSingleKeys, () => true);
  return (
    <label className="mb-4 flex cursor-pointer items-center gap-2">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => setSingleKeys(event.target.checked)}
        className="size-4 shrink-0 cursor-pointer accent-accent"
      />
      Shortcuts with a single key, such as <kbd>/</kbd> and <kbd>j</kbd>
    </label>
  );
}

/** The list of all keyboard shortcuts. */
function KeysDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const mod = useModKey() ?? "Ctrl";
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <SingleKeysSwitch />
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
