const home = '/applications';

/** Where to go after the sign-in: a path of this console. A link from elsewhere must not lead to another site. */
export function pathAfter(then: string | null): string {
  if (!then) return home;
  const { origin, pathname, search } = new URL(then, window.location.origin);
  return origin === window.location.origin && pathname !== '/sign-in' ? pathname + search : home;
}
