import { _, type CodeKeywordDefinition, str } from 'ajv';
import type { Spend } from './budget.ts';

export type Duplicate = { i: number; j: number };

/** Finds two equal items in linear time; Ajv's own keyword compares each item with each. */
export function createFindDuplicate(spend: Spend): (items: unknown[]) => Duplicate | undefined {
  return function findDuplicate(items) {
    const scalars = new Map<unknown, number>();
    const composites = new Map<string, number>();
    for (let j = 0; j < items.length; j++) {
      const item = items[j];
      const composite = typeof item === 'object' && item !== null;
      const seen: Map<unknown, number> = composite ? composites : scalars;
      const key = composite ? canonical(item) : item;
      spend(typeof key === 'string' ? 20 + key.length : 20);
      const i = seen.get(key);
      if (i !== undefined) return { i, j };
      seen.set(key, j);
    }
    return undefined;
  };

  /** The same text for the same JSON value, whatever the order of its keys. */
  function canonical(value: unknown): string {
    spend(8);
    if (typeof value !== 'object' || value === null)
      return typeof value === 'bigint' ? String(value) : JSON.stringify(value === 0 ? 0 : value);
    if (Array.isArray(value)) return `[${value.map(canonical)}]`;
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    spend(entries.length * 30);
    return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`)}}`;
  }
}

const findDuplicate = createFindDuplicate(() => {});

export const uniqueItems: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: {
    message: ({ params: { pair } }) =>
      str`must not have equal items (${_`${pair}.i`} and ${_`${pair}.j`} are)`,
    params: ({ params: { pair } }) => _`${pair}`,
  },
  code(cxt) {
    const { gen, data, schema } = cxt;
    if (!schema) return;
    const find = gen.scopeValue('func', { ref: findDuplicate, code: _`$.findDuplicate` });
    const pair = gen.const('pair', _`${find}(${data})`);
    cxt.setParams({ pair });
    cxt.fail(_`${pair} !== undefined`);
  },
};
