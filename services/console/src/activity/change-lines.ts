import type { Schemas } from '../api/client.ts';
import { words } from '../words/en.ts';

type Event = Schemas['Activity'];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What has changed, a line for each member: `name: Old → New`. */
export function changeLines({ before, after }: Pick<Event, 'before' | 'after'>): string[] {
  const [old, now] = [before ?? {}, after ?? {}] as Record<string, unknown>[];
  const names = [...new Set([...Object.keys(old as object), ...Object.keys(now as object)])];
  return names.map((name) => {
    const [was, is] = [old, now].map((values) =>
      values && name in values ? textOf(values[name]) : undefined,
    );
    if (!before) return `${name}: ${is}`;
    if (!after) return `${name}: ${was}`;
    return `${name}: ${was ?? words.activity.none} → ${is ?? words.activity.none}`;
  });
}

/** What the event is about, a line each. */
export function subjectLines({ key, job, details }: Pick<Event, 'key' | 'job' | 'details'>): string[] {
  const { changed: _, ...rest } = (details ?? {}) as Record<string, unknown>;
  return Object.entries({ key, job, ...rest }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${textOf(value)}`],
  );
}
