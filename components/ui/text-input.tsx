import { type ComponentProps, useId } from "react";

interface Props extends ComponentProps<"input"> {
  label: string;
  isLabelHidden?: boolean;
  /** Error message for the value. */
  error?: string;
}

/** A single-line text field with its label. */
export function TextInput({ label, isLabelHidden = false, error, className = "", ...rest }: Props) {
  const id = useId();
  return (
    <div className={`min-w-0 ${className}`}>
      <label htmlFor={id} className={isLabelHidden ? "sr-only" : "mb-1 block text-s font-medium text-ink-2"}>
        {label}
      </label>
      <input
        spellCheck={false}
        autoComplete="off"
        {...rest}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        className="h-8 w-full min-w-0 rounded-m border border-line-strong bg-raised px-2.5 placeholder:text-ink-3 aria-invalid:border-bad"
      />
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-s text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
