import { isDeepStrictEqual } from 'node:util';
import type { AuditEvent } from '@sluice/store/accounts/audit.ts';

/** As MongoDB and answers have it: without what is undefined. */
const plain = (value: object | undefined): Record<string, unknown> | undefined =>
  value && JSON.parse(JSON.stringify(value));

/** The event with those members of `before` and `after` that differ; of a change, only those that it names. */
export function changeOf<Event extends AuditEvent>(event: Event): Event {
  const [before, after] = [plain(event.before), plain(event.after)];
  if (!before || !after) return { ...event, before, after };
  const named = event.details?.changed;
  const differs = (name: string) =>
    !isDeepStrictEqual(before[name], after[name]) && (!Array.isArray(named) || named.includes(name));
  const differing = (of: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => differs(name)));
  const changed = [differing(before), differing(after)];
  const isSame = changed.every((one) => Object.keys(one).length === 0);
  return { ...event, before: isSame ? undefined : changed[0], after: isSame ? undefined : changed[1] };
}
