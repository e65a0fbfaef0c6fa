const home = '/applications';
/** Any origin: a path that leaves it leads to another site. */
const here = 'http://here';

/** The path of this console to open after the sign-in. A link must not lead to another site. */
export function pathAfter(then: string | null): string {
  if (!then || !URL.canParse(then, here)) return home;
  const { origin, pathname, search } = new URL(then, here);
  const isHere = origin === here && !pathname.startsWith('//');
  return isHere && pathname !== '/sign-in' ? pathname + search : home;
}
