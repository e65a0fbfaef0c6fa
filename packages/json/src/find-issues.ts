import { createIssues, type Keyword, type PayloadIssue } from './issues.ts';
import { isInteger, keptNumber } from './numbers.ts';
import { bsonTypeKey, idKey, maxNesting, prototypeKey, referenceKey } from './rules.ts';
import { decode, endOfToken, isNumeric } from './tokens.ts';

type Issues = PayloadIssue[] | 'forbidden';
type OpenArray = { at: number };
/** `keys` tells of each key whether it was reported as duplicate; `splits` that its `$ref` has one dot. */
type OpenObject = { at: string; keys: Map<string, boolean>; afterColon: boolean; splits: boolean };

/**
 * Everything in a valid JSON text that would not be kept exactly, or `forbidden` for a key that is never taken.
 * Linear in the text's length, whatever is in it; what lies below the nesting limit is skipped.
 */
export const findIssues = (text: string): Issues => find(text, maxNesting, () => true);

/** Finds only the keys that an object has twice, at any depth. */
export const findRepeatedKeys = (text: string): Issues =>
  find(text, Number.POSITIVE_INFINITY, (keyword) => keyword === 'uniqueKeys');

function find(text: string, levels: number, isWanted: (keyword: Keyword) => boolean): Issues {
  const open: (OpenArray | OpenObject)[] = [];
  const { found, report } = createIssues();
  function reportHere(keyword: Keyword): void {
    if (isWanted(keyword)) report(open, keyword);
  }
  let tooDeep = 0;

  for (let start = 0, end = 0; start < text.length; start = end) {
    end = endOfToken(text, start);
    const character = text[start] as string;
    if (character === '{' || character === '[') {
      if (tooDeep > 0) tooDeep++;
      else if (open.length < levels) open.push(character === '[' ? { at: 0 } : openObject());
      else {
        reportHere('maxNesting');
        tooDeep = 1;
      }
    } else if (tooDeep > 0) {
      if (character === '}' || character === ']') tooDeep--;
    } else if (character === '"') {
      const string = decode(text.slice(start, end));
      const parent = open.at(-1);
      if (parent && 'keys' in parent && !parent.afterColon) {
        if (string === prototypeKey) return 'forbidden';
        parent.at = string;
        checkKey(parent, string, reportHere);
      } else if (parent?.at === referenceKey && 'splits' in parent) {
        parent.splits = string.split('.', 3).length === 2;
      }
      if (!string.isWellFormed()) reportHere('wellFormed');
    } else if (isNumeric(character)) {
      const literal = text.slice(start, end);
      if (keptNumber(literal) === undefined) reportHere(isInteger(literal) ? 'integerRange' : 'exactNumber');
    } else {
      punctuate(character, open, reportHere);
    }
  }
  return found;
}

function openObject(): OpenObject {
  return { at: '', keys: new Map(), afterColon: false, splits: false };
}

function checkKey({ keys }: OpenObject, key: string, reportHere: (keyword: Keyword) => void): void {
  const reported = keys.get(key);
  keys.set(key, reported !== undefined);
  if (reported === false) reportHere('uniqueKeys');
  if (key === bsonTypeKey) reportHere('reservedKey');
  if (key.includes('\0')) reportHere('keyWithoutNul');
}

function punctuate(
  character: string,
  open: (OpenArray | OpenObject)[],
  reportHere: (keyword: Keyword) => void,
): void {
  const parent = open.at(-1);
  if (!parent) return;
  if (character === '}' || character === ']') {
    if ('keys' in parent && parent.splits && parent.keys.has(idKey)) {
      parent.at = referenceKey;
      reportHere('reference');
    }
    open.pop();
  } else if ('keys' in parent) {
    if (character === ':') parent.afterColon = true;
    else if (character === ',') parent.afterColon = false;
  } else if (character === ',') {
    parent.at++;
  }
}
