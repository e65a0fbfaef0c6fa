import { limits } from '../limits.ts';
import { append, shown } from '../pointer.ts';
import { Refused } from './refusal.ts';

/** Bounds depth and number of values, and refuses `__proto__`, whatever the values mean. Does not recurse. */
export function checkShape(schema: Record<string, unknown>): void {
  const stack: { value: unknown; depth: number; at: string }[] = [{ value: schema, depth: 1, at: '' }];
  let nodes = 0;
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { value, depth, at } = top;
    if (++nodes > limits.schemaNodes)
      throw new Refused(`the schema has more than ${limits.schemaNodes} values`);
    if (typeof value !== 'object' || value === null) continue;
    if (depth > limits.schemaDepth)
      throw new Refused(`the schema is nested deeper than ${limits.schemaDepth} levels at ${shown(at)}`);
    for (const [key, child] of Object.entries(value)) {
      if (key === '__proto__')
        throw new Refused(`the name __proto__ is not allowed at ${shown(append(at, key))}`);
      stack.push({ value: child, depth: depth + 1, at: typeof child === 'object' ? append(at, key) : at });
    }
  }
}
