export const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

const themeKey = "signalbox.theme";

/** Runs in the head before the first paint, so that a chosen theme never flashes. Served with the page's nonce. */
export const themeScript = `try{var t=localStorage.getItem(${JSON.stringify(themeKey)});if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}catch(e){}`;

/** The next theme in the cycle. */
export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
}

const changed = "signalbox:theme";

export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(themeKey);
    return themes.find((theme) => theme === stored) ?? "system";
  } catch {
    return "system";
  }
}

/** Applies a theme and stores it. Without storage it applies to this page only. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    if (theme === "system") localStorage.removeItem(themeKey);
    else localStorage.setItem(themeKey, theme);
  } catch {
    // Storage may be blocked in private windows.
  }
  dispatchEvent(new Event(changed));
}

/** Calls the listener when the theme changes, here or in another tab. */
export function watchTheme(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== null && event.key !== themeKey) return;
    applyTheme(readTheme());
    listener();
  };
  addEventListener(changed, listener);
  addEventListener("storage", onStorage);
  return () => {
    removeEventListener(changed, listener);
    removeEventListener("storage", onStorage);
  };
}

function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
