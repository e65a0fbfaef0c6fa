/** A key in payloads; `column` is where its leaf goes. */
export interface Place {
  column?: number;
  below: Map<string, Place>;
}

/** Finds the place of a path among those of columns that lie side by side from `start`. */
export function leafPlaces(columns: { path: string[] }[], start: number) {
  const root: Place = { below: new Map() };
  for (const [index, { path }] of columns.entries()) {
    let place = root;
    for (const key of path) {
      const next: Place = place.below.get(key) ?? { below: new Map() };
      place.below.set(key, next);
      place = next;
    }
    place.column = start + index;
  }
  return (path: string[]): Place | undefined => {
    let place: Place | undefined = root;
    for (const key of path) place = place?.below.get(key);
    return place;
  };
}
