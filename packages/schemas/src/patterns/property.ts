import { parses } from './parses.ts';

/** The members of each property, as a search takes about 20 ms. */
const known = new Map<string, string>();
const [end, blockLength] = [0x110000, 0x800];

/**
 * What an escape such as `\p{Lu}` matches, as members of a class of RE2. Undefined if the language does not know it.
 * RE2's own properties are fewer, and of another version of Unicode.
 */
export function membersOf(property: string): string | undefined {
  // As in RE2, `\p{Greek}` is a script.
  const meant = [property, property.replace('{', '{sc=')].find((each) => parses(each, 'u'));
  if (meant === undefined) return undefined;
  const members = known.get(property) ?? findMembers(meant);
  known.set(property, members);
  return members;
}

export type Members = [property: string, members: string][];

/** The members of the escapes in a text of JSON, for `learnMembers` of another thread. */
export const membersIn = (json: string): Members =>
  [...known].filter(([property]) => json.includes(`\\${property}`));

export function learnMembers(members: Members): void {
  for (const [property, found] of members) known.set(property, found);
}

function findMembers(property: string): string {
  const runs = new RegExp(`${property}+`, 'gu');
  const ranges: { first: number; last: number }[] = [];
  for (let start = 0; start < end; start += blockLength) {
    const before = ranges.at(-1);
    if (isLikeBefore(start)) {
      if (before?.last === start - 1) before.last += blockLength;
      continue;
    }
    const block = blockAt(start);
    const units = block.length / blockLength;
    for (let run = runs.exec(block); run; run = runs.exec(block)) {
      const first = start + run.index / units;
      const last = start + runs.lastIndex / units - 1;
      if (first === start && before?.last === start - 1) before.last = last;
      else ranges.push({ first, last });
    }
  }
  return ranges.map(({ first, last }) => `\\x{${first.toString(16)}}-\\x{${last.toString(16)}}`).join('');
}

/** From plane 4 on there are only tags at the begin of a plane, and the last two characters of each differ. */
const isLikeBefore = (start: number) =>
  start > 0x40000 && start % 0x10000 > 0x1000 && start % 0x10000 < 0xf800;

/** Surrogates would make pairs, so the first stands for all: they have the same properties. */
const blockAt = (start: number) =>
  start === 0xd800
    ? '\ud800'.repeat(blockLength)
    : String.fromCodePoint(...Array.from({ length: blockLength }, (_, at) => start + at));
