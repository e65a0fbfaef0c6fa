import { spend } from '../budget.ts';

/** What the keywords of a schema have evaluated of one array or object, for `unevaluated…` beside them. */
export class Seen {
  readonly keys = new Set<string>();
  allKeys = false;
  readonly places = new Set<number>();
  /** The number of first items. */
  items = 0;

  addKey(key: string): void {
    spend(stepsAnEntry);
    this.keys.add(key);
  }

  addPlace(place: number): void {
    spend(stepsAnEntry);
    this.places.add(place);
  }

  addItems(items: number): void {
    this.items = Math.max(this.items, items);
  }

  add(other: Seen): void {
    this.allKeys ||= other.allKeys;
    this.addItems(other.items);
    for (const key of other.keys) this.addKey(key);
    for (const place of other.places) this.addPlace(place);
  }
}

const stepsAnEntry = 4;
