import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '@sluice/json/parse-json.ts';
import type { AuditEvent } from '@sluice/store/accounts/audit.ts';

type Values = Record<string, unknown>;

/** Characters of JSON that are kept of a value: a page of events must stay small. */
const mostCharacters = 500;

/** A copy without members that are undefined. */
const plain = (values: object | undefined): Values | undefined =>
  values && (parseJson(JSON.stringify(values)) as Values);

function cut(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length <= mostCharacters ? value : `${text.slice(0, mostCharacters)}…`;
}

const keep = (values: Values | undefined, isKept: (name: string) => boolean): Values | undefined =>
  values &&
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (isKept(name) ? [[name, cut(value)]] : [])),
  );

/** The event with those members of `before` and `after` that differ; of a change, only those that it names. */
export function changeOf<Event extends AuditEvent>(event: Event): Event {
  const [before, after] = [plain(event.before), plain(event.after)];
  const named = event.details?.changed;
  const differs = (name: string) =>
    !(before && after && isDeepStrictEqual(before[name], after[name])) &&
    (!Array.isArray(named) || named.includes(name));
  const [old, now] = [keep(before, differs), keep(after, differs)];
  const isChange = [old, now].some((values) => values && Object.keys(values).length > 0);
  return { ...event, before: isChange ? old : undefined, after: isChange ? now : undefined };
}
