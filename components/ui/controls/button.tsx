import type { LucideIcon } from "lucide-react";
import Link from "next/link";
import type { ComponentProps } from "react";
import { Tooltip } from "../overlays/tooltip.tsx";

export type ButtonTone = "primary" | "plain" | "danger" | "quiet";
export type ButtonSize = "m" | "s";

interface ButtonStyle {
  tone?: ButtonTone;
  size?: ButtonSize;
  icon?: LucideIcon;
}

const tones: Record<ButtonTone, string> = {
  primary: "border-transparent bg-accent text-on-accent hover:not-disabled:not-aria-disabled:bg-accent-strong",
  plain: "border-line-strong bg-raised text-ink hover:not-disabled:not-aria-disabled:bg-sunken",
  danger:
    "border-line-strong bg-raised text-bad hover:not-disabled:not-aria-disabled:border-bad hover:not-disabled:not-aria-disabled:bg-bad-soft",
  quiet:
    "border-transparent text-ink-2 hover:not-disabled:not-aria-disabled:bg-sunken hover:not-disabled:not-aria-disabled:text-ink",
};

const sizes: Record<ButtonSize, string> = { m: "h-8 px-3 text-m", s: "h-7 px-2.5 text-s" };

const squares: Record<ButtonSize, string> = { m: "size-8", s: "size-7" };

const base =
  "inline-flex shrink-0 cursor-pointer items-center justify-center gap-1.5 rounded-m border font-[550] whitespace-nowrap transition-colors disabled:cursor-default disabled:opacity-50 aria-disabled:cursor-default aria-disabled:opacity-50";

/** Button styles for other elements: a menu trigger, a summary. */
export function buttonClass({ tone = "plain", size = "m" }: Pick<ButtonStyle, "tone" | "size">): string {
  return `${base} ${tones[tone]} ${sizes[size]}`;
}

interface ButtonProps extends ButtonStyle, ComponentProps<"button"> {
  /** Why the action is not possible now. The button then does nothing, stays focusable, and shows the reason. */
  disabledReason?: string | undefined;
}

export function Button({ tone, size, icon, className = "", disabledReason, children, ...rest }: ButtonProps) {
  const off = disabledReason === undefined ? {} : { ...inert, "aria-disabled": true };
  const button = (
    <button type="button" {...rest} {...off} className={`${buttonClass({ tone, size })} ${className}`}>
      <ButtonIcon icon={icon} size={size} />
      {children}
    </button>
  );
  return disabledReason === undefined ? button : <Tooltip text={disabledReason}>{button}</Tooltip>;
}

const inert = { type: "button", disabled: false, title: undefined, onClick: undefined } as const;

/** A link that looks like a button. */
export function ButtonLink({
  tone,
  size,
  icon,
  className = "",
  children,
  ...rest
}: ButtonStyle & Omit<ComponentProps<typeof Link>, "href"> & { href: string }) {
  return (
    <Link {...rest} className={`${buttonClass({ tone, size })} ${className}`}>
      <ButtonIcon icon={icon} size={size} />
      {children}
    </Link>
  );
}

/** Shows the rest of a text, at its end. */
export function ShowAll({ onClick, of = "" }: { onClick: () => void; of?: string }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="cursor-pointer rounded-s border border-line-strong px-1.5 font-sans text-xs text-accent hover:bg-sunken"
    >
      show all {of}
    </button>
  );
}

/** A square icon button. The label is its accessible name and its tooltip. */
export function IconButton({
  label,
  icon: Icon,
  tone = "quiet",
  size = "m",
  className = "",
  ...rest
}: ButtonStyle & { label: string; icon: LucideIcon } & Omit<ComponentProps<"button">, "children">) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={`${base} ${tones[tone]} ${squares[size]} ${className}`}
      >
        <Icon aria-hidden size={size === "m" ? 16 : 14} />
      </button>
    </Tooltip>
  );
}

function ButtonIcon({ icon: Icon, size }: Pick<ButtonStyle, "icon" | "size">) {
  return Icon ? <Icon aria-hidden size={size === "s" ? 13 : 14} className="-ml-0.5 shrink-0" /> : null;
}
