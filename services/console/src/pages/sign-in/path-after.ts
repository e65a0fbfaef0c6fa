const home = '/applications';
/** Any: it only shows whether a path stays on its own. */
const here = 'http://here';

/** Where to go after the sign-in: a path of this console. A link from elsewhere must not lead to another site. */
export function pathAfter(then: string | null): string {
  if (!then || !URL.canParse(then, here)) return home;
  const { origin, pathname, search } = new URL(then, here);
  const isHere = origin === here && !pathname.startsWith('//');
  return isHere && pathname !== '/sign-in' ? pathname + search : home;
}
