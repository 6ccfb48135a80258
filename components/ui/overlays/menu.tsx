"use client";

import { ChevronDown, type LucideIcon } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type ReactNode, useState } from "react";
import { type ButtonSize, type ButtonTone, buttonClass } from "../controls/button.tsx";

export interface MenuItem {
  id: string;
  label: string;
  icon?: LucideIcon;
  /** A second line in small letters. */
  note?: string;
  /** A line of code: the beginning of the text that the item represents. */
  preview?: string;
  isDisabled?: boolean;
  /** Set in menus that select one of several items: `true` shows a mark. */
  isChosen?: boolean;
  onSelect: () => void;
}

interface Props {
  label: string;
  /** The content of the button. */
  children: ReactNode;
  items: readonly MenuItem[];
  tone?: ButtonTone;
  size?: ButtonSize;
  /** Without the arrow: for icon buttons. */
  isBare?: boolean;
}

const openTones: Record<ButtonTone, string> = {
  primary: "data-[state=open]:bg-accent-strong",
  plain: "data-[state=open]:bg-sunken",
  danger: "data-[state=open]:bg-bad-soft",
  quiet: "data-[state=open]:bg-sunken data-[state=open]:text-ink",
};

/** A button that opens a list of actions. Not modal, so the page keeps its scrollbar and no styles are injected. */
export function Menu({ label, children, items, tone, size, isBare = false }: Props) {
  // Elements outside a modal dialog are inert, so inside a dialog the list is rendered in it.
  const [dialog, setDialog] = useState<HTMLDialogElement | null>(null);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        ref={(button) => setDialog(button?.closest("dialog") ?? null)}
        aria-label={label}
        title={label}
        className={`${buttonClass({ tone, size })} ${isBare ? "px-2" : ""} ${openTones[tone ?? "plain"]}`}
      >
        {children}
        {!isBare && <ChevronDown aria-hidden size={14} className="-mr-0.5 shrink-0 opacity-70" />}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={dialog}>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          className="z-40 max-h-(--radix-dropdown-menu-content-available-height) max-w-[min(360px,calc(100vw-16px))] min-w-44 overflow-auto rounded-m border bg-raised p-1 shadow-floating"
        >
          {items.map((item) => (
            <Item key={item.id} item={item} />
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

const itemClass =
  "flex cursor-pointer items-center gap-2.5 rounded-s px-2.5 py-1.5 outline-none select-none data-disabled:cursor-default data-disabled:opacity-50 data-highlighted:bg-sunken";

function Item({ item }: { item: MenuItem }) {
  const content = (
    <>
      {item.icon && <item.icon aria-hidden size={15} className="shrink-0 opacity-80" />}
      <span className="min-w-0">
        <span className="block truncate font-medium">{item.label}</span>
        {item.note && <span className="block text-s text-ink-3">{item.note}</span>}
        {item.preview && <code className="block truncate text-xs text-ink-3">{item.preview}</code>}
      </span>
      {item.isChosen && <DropdownMenu.ItemIndicator className="ml-auto size-1.5 shrink-0 rounded-full bg-accent" />}
    </>
  );
  const props = {
    disabled: item.isDisabled,
    onSelect: item.onSelect,
    className: `${itemClass} ${item.isChosen ? "text-accent" : "text-ink"}`,
    children: content,
  };
  return item.isChosen === undefined ? (
    <DropdownMenu.Item {...props} />
  ) : (
    <DropdownMenu.CheckboxItem {...props} checked={item.isChosen} />
  );
}
