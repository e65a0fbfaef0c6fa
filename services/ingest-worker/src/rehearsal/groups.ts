import type { ReasonGroup } from '@sluice/jobs/record/chunk-records.ts';

const mostGroups = 1_000;
/** Of what comes for further reasons. */
const others = { path: '', keyword: 'other' };

/** Counts what does not conform by reason, with the first example of each. */
export function createGroups() {
  const groups = new Map<string, ReasonGroup>();
  let rest: ReasonGroup | undefined;

  return {
    add(group: ReasonGroup): void {
      const { path, keyword, count } = group;
      const key = `${keyword} ${path}`;
      const known = groups.get(key);
      if (known) known.count += count;
      else if (groups.size < mostGroups && keyword !== others.keyword) groups.set(key, { ...group });
      else rest = { ...group, ...rest, ...others, count: (rest?.count ?? 0) + count };
    },

    /** Most frequent first. */
    list: (): ReasonGroup[] =>
      [...groups.values(), ...(rest ? [rest] : [])].sort((a, b) => b.count - a.count),
  };
}
