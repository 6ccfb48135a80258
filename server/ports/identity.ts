/** The result of a sign-in attempt. `setCookie`: the cookies for the browser. */
export type SignInResult =
  | { outcome: "signed-in"; setCookie: string[] }
  /** One outcome for an unknown address and for a wrong password. */
  | { outcome: "rejected" };

export interface Redirection {
  location: string;
  setCookie: string[];
}

/**
 * Authenticates people: passwords and sign-in. Concurrent password hashes are limited: operations that need one throw
 * AppError `rate_limited` above the limit.
 */
export interface Identity {
  /** `address` is the browser's address, for the list of sessions. */
  signIn(p: {
    email: string;
    password: string;
    address: string | null;
    userAgent: string | null;
  }): Promise<SignInResult>;
  /**
   * Redirects the browser to the provider; `null` if there is none or it is unreachable. `next` is the page to return
   * to.
   */
  startProviderSignIn(p: { next: string; address: string | null }): Promise<Redirection | null>;
  /**
   * Handles the provider's callback. `isSignedIn: false` means that the person is not allowed to sign in. `request`
   * includes its cookies.
   */
  finishProviderSignIn(request: Request, address: string | null): Promise<Redirection & { isSignedIn: boolean }>;
  hashPassword(password: string): Promise<string>;
  isPassword(hash: string, password: string): Promise<boolean>;
}
