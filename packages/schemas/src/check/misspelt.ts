import { nearest } from '@sluice/shared/nearest.ts';
import { type Draft, drafts } from '../draft.ts';
import { append, shown } from '../refusal.ts';
import type { Walk } from './check-walk.ts';
import { keywordsOf } from './keywords.ts';

/** Warnings about probable mistakes: keywords of other drafts, and names close to a keyword. `x-…` is never one. */
export function misspeltKeywords({ places }: Walk, draft: Draft): string[] {
  const keywords = keywordsOf(draft);
  const warnings: string[] = [];
  for (const [schema, { at }] of places) {
    for (const name of Object.keys(schema)) {
      if (keywords.has(name) || name.startsWith('x-')) continue;
      const warning = warn(name, draft);
      if (warning) warnings.push(`${shown(append(at, name))} ${warning}`);
    }
  }
  return warnings;
}

function warn(name: string, draft: Draft): string | undefined {
  const shape = drafts.map((each) => keywordsOf(each).get(name)).find(Boolean);
  // An unknown note, or a place for references, makes no difference.
  if (shape) return isLost(shape) ? `is not a keyword of draft ${draft}, and does nothing` : undefined;
  const meant = nearest(name, keywordsOf(draft).keys());
  if (meant === undefined || !isLost(keywordsOf(draft).get(meant))) return undefined;
  return `is not a keyword; did you mean ${meant}?`;
}

const isLost = (shape: string | undefined) => shape !== 'note' && shape !== 'parts';
