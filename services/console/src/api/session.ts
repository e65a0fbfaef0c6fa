import { useSyncExternalStore } from 'react';

const changes = new EventTarget();
/** Undefined until the browser's session is looked up. */
let token: string | null | undefined;
let isSignedOut = false;
let lacksSecondFactor = false;

function set(next: string | null): void {
  // Two answers may tell of one end, and each change clears what pages have read.
  if (next === token) return;
  token = next;
  changes.dispatchEvent(new Event('change'));
}

/** The token of this page, in memory alone. See browser-session.ts for what all tabs share. */
export const session = {
  token: () => token ?? null,
  isKnown: () => token !== undefined,
  begin(next: string, lacks = false): void {
    isSignedOut = false;
    lacksSecondFactor = lacks;
    set(next);
  },
  end: () => set(null),
  signOut(): void {
    isSignedOut = true;
    set(null);
  },
  /** Whether the user must set up a second factor before anything else. */
  lacksSecondFactor: () => lacksSecondFactor,
  /** Whether the user has ended the session. */
  isSignedOut: () => isSignedOut,
  subscribe(listener: () => void): () => void {
    changes.addEventListener('change', listener);
    return () => changes.removeEventListener('change', listener);
  },
};

export const useLacksSecondFactor = () => useSyncExternalStore(session.subscribe, session.lacksSecondFactor);

export const useIsSignedIn = () => useSyncExternalStore(session.subscribe, session.token) !== null;
