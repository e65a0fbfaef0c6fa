// In sessionStorage: a reload keeps the session, while closing the tab ends it and no other tab or later visitor finds the token.
const storageKey = 'sluice.token';
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

/** The token with which this tab is signed in. */
export const session = {
  token: (): string | null => sessionStorage.getItem(storageKey),
  begin(token: string): void {
    sessionStorage.setItem(storageKey, token);
    tell();
  },
  end(): void {
    sessionStorage.removeItem(storageKey);
    tell();
  },
  /** For `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
