import { isObject } from '../schema.ts';
import { accepts, type Check, type Rules } from './accepts.ts';
import { Seen } from './seen.ts';

/** The check of a whole schema that has `unevaluated…`; `beside`: its other keywords. */
export function unevaluatedCheck(
  beside: Rules,
  items: Rules | undefined,
  properties: Rules | undefined,
): Check<unknown> {
  return (value, seen) => {
    const own = new Seen();
    if (!accepts(beside, value, own)) return false;
    if (items && Array.isArray(value) && !itemsConform(items, value, own)) return false;
    if (properties && isObject(value) && !propertiesConform(properties, value, own)) return false;
    seen?.add(own);
    return true;
  };
}

function itemsConform(rules: Rules, items: unknown[], seen: Seen): boolean {
  for (let i = seen.items; i < items.length; i++)
    if (!seen.places.has(i) && !accepts(rules, items[i], undefined)) return false;
  seen.addItems(items.length);
  return true;
}

function propertiesConform(rules: Rules, value: Record<string, unknown>, seen: Seen): boolean {
  if (!seen.allKeys)
    for (const key in value) if (!seen.keys.has(key) && !accepts(rules, value[key], undefined)) return false;
  seen.allKeys = true;
  return true;
}
