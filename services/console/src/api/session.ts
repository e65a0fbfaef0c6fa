// A reload keeps the sessionStorage. Other tabs and later visitors do not see it.
const storageKey = 'sluice.token';
const changes = new EventTarget();

function keep(token: string | null): void {
  if (token === null) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, token);
  changes.dispatchEvent(new Event('change'));
}

/** The token with which this tab is signed in. */
export const session = {
  token: (): string | null => sessionStorage.getItem(storageKey),
  begin: (token: string) => keep(token),
  end: () => keep(null),
  subscribe(listener: () => void): () => void {
    changes.addEventListener('change', listener);
    return () => changes.removeEventListener('change', listener);
  },
};
