/** What came of an attempt to sign in. `setCookie`: what the browser shall keep. */
export type SignInResult =
  | { outcome: "signed-in"; setCookie: string[] }
  /** One outcome for an unknown address and for a wrong password. */
  | { outcome: "refused" };

export interface Redirection {
  location: string;
  setCookie: string[];
}

/**
 * Checks who people are: passwords and sign-in. Hashes of passwords are bounded: what has one throws AppError
 * `rate_limited` under too many.
 */
export interface Identity {
  /** `address`: of the browser, for the list of sessions. */
  signIn(p: {
    email: string;
    password: string;
    address: string | null;
    userAgent: string | null;
  }): Promise<SignInResult>;
  /**
   * Sends the browser to the provider; `null`: there is none, or it cannot be reached. `next`: the page to come back
   * to.
   */
  startElsewhere(p: { next: string; address: string | null }): Promise<Redirection | null>;
  /** The browser comes back. `isSignedIn: false`: who came may not come in. `request`: with its cookies. */
  finishElsewhere(request: Request, address: string | null): Promise<Redirection & { isSignedIn: boolean }>;
  hashPassword(password: string): Promise<string>;
  isPassword(hash: string, password: string): Promise<boolean>;
}
