import { type RefusedGroup, reasonOf } from '../../api/refused.ts';

/** The part of the address that names a group. */
export const searchOf = (group: RefusedGroup): string => new URLSearchParams(reasonOf(group)).toString();

export const keyOf = searchOf;

/** The group that an address names; undefined if it names none. */
export function groupIn(search: URLSearchParams, groups: RefusedGroup[]): RefusedGroup | undefined {
  const [path, keyword, property] = ['path', 'keyword', 'property'].map((name) => search.get(name) ?? '');
  return groups.find((group) => {
    const reason = reasonOf(group);
    return reason.path === path && reason.keyword === keyword && reason.property === property;
  });
}
