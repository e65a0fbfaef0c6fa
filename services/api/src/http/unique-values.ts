import { isJson, parseExactJson } from '@sluice/json/parse-json.ts';
import Type from 'typebox';
import { invalidAt } from './refusals.ts';

/** Values of a body. `listsAsText` of the route makes a text of the list, which has each digit of a number. */
export const UniqueValues = (most: number) =>
  Type.Unsafe<string>({
    description: 'Values of the member that is `unique` in the application.',
    anyOf: [
      {
        type: 'array',
        items: { type: ['string', 'number', 'boolean'], title: 'UniqueValue' },
        maxItems: most,
      },
      { type: 'string' },
    ],
  });

export function refuseValue(path: string, message: string): never {
  throw invalidAt(path, 'type', message);
}

export function toValues(text: string, most: number): unknown[] {
  const values = isJson(text) && parseExactJson(text);
  if (!Array.isArray(values) || values.length > most)
    refuseValue('/values', `must be a list of at most ${most}`);
  return values;
}
