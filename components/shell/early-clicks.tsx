"use client";

import { useEffect } from "react";

const hydrated = "signalbox:hydrated";

/**
 * A button of a page from the server has no handler until the scripts have loaded. This keeps the last click on one
 * from React, which handles such a click in some states and loses it in others. Menus open when they are pressed. Links
 * and forms work without scripts.
 */
const script = `(()=>{
let button;
const keep=(event)=>{
  const clicked=event.target.closest("button[type=button]");
  if(!clicked)return;
  button=clicked;
  event.stopImmediatePropagation();
};
addEventListener("click",keep,true);
addEventListener("${hydrated}",()=>{
  removeEventListener("click",keep,true);
  if(!button?.isConnected)return;
  if(button.ariaHasPopup==="menu")button.dispatchEvent(new PointerEvent("pointerdown",{bubbles:true}));
  else button.click();
},{once:true});
})()`;

/** In the head: a button that is clicked before the page is hydrated acts as soon as it is. */
export function EarlyClicks({ nonce }: { nonce: string | undefined }) {
  useEffect(endEarlyClicks, []);
  return <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: script }} />;
}

/** Repeats the last of them. Later clicks go to their handlers. */
export function endEarlyClicks(): void {
  dispatchEvent(new Event(hydrated));
}
