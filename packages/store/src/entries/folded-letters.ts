import type { Db } from 'mongodb';

const hasCase = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;

let cased: string[] | undefined;
function allCased(): string[] {
  cased ??= Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
    hasCase.test(one),
  );
  return cased;
}

/** Letters that `contains` takes for each other: which these are depends on the version of MongoDB, so MongoDB tells. */
export function foldedLetters(db: Db) {
  const known = new Map<string, string[]>();

  /** For each character of a text, the characters that match it. */
  return async (text: string): Promise<string[][]> => {
    const characters = [...text];
    const asked = [...new Set(characters)].filter((one) => hasCase.test(one) && !known.has(one));
    if (asked.length > 0) {
      const options = 'i';
      const $documents = { $literal: allCased().map((letter) => ({ letter })) };
      const any = { $regexMatch: { input: '$letter', regex: asked.join('|'), options } };
      const cond = { $regexMatch: { input: '$letter', regex: '$$this', options } };
      const found = db.aggregate<{ letter: string; of: string[] }>([
        { $documents },
        { $match: { $expr: any } },
        { $project: { letter: 1, of: { $filter: { input: { $literal: asked }, cond } } } },
      ]);
      for (const one of asked) known.set(one, []);
      for await (const { letter, of } of found) for (const one of of) known.get(one)?.push(letter);
    }
    return characters.map((one) => known.get(one) ?? [one]);
  };
}
