import { isInteger, keptNumber } from './numbers.ts';
import { decode, endOfToken, isNumeric, prototypeKey } from './parse-json.ts';
import { toPointer } from './pointer.ts';

/** A scalar at the root is level 0, `{}` is level 1. */
export const maxNesting = 64;
/** The BSON serializer takes an object with this key for one of its own types. */
export const bsonTypeKey = '_bsontype';
/** The BSON reader makes a DBRef of an object with both keys, and splits a `$ref` that has exactly one dot. */
export const referenceKey = '$ref';
const idKey = '$id';

/** `path` is a JSON Pointer to the value or member. A path over 1,000 characters is cut and ends in `…`. */
export type PayloadIssue = { path: string; keyword: string; message: string };
type Issues = PayloadIssue[] | 'forbidden';

// Both limits keep a hostile body from growing the answer.
const maxIssues = 100;
const maxPath = 1_000;

// No message quotes the payload: issues may be logged.
const messages = {
  integerRange: 'this integer is beyond 64 bits (-2^63 to 2^63 - 1): send it as a string',
  exactNumber:
    'a 64-bit float does not hold this number: send at most 17 significant digits (and no exponent beyond 308), or a string',
  uniqueKeys: 'this key occurs more than once in its object: send it once',
  wellFormed: 'half a surrogate pair (\\ud800 to \\udfff alone) is not text: send the whole pair',
  keyWithoutNul: 'a key cannot hold the character NUL (\\u0000): rename it',
  reservedKey: `the key ${bsonTypeKey} is reserved by the storage format: rename it`,
  reference: `a ${referenceKey} with one dot, beside an $id, would be split in two: rename one of the keys`,
  maxNesting: `nested deeper than ${maxNesting} levels: flatten it or send the inner part as a string`,
};
type Keyword = keyof typeof messages;

/** `at`: the current index of an array, or the current key of an object. */
type OpenArray = { at: number };
/** `keys`: each key, and whether it was reported as a duplicate. `splits`: the object's `$ref` has one dot. */
type OpenObject = { at: string; keys: Map<string, boolean>; afterColon: boolean; splits: boolean };
type Open = OpenArray | OpenObject;

/**
 * Everything in a valid JSON text that would not be kept exactly, or `forbidden` for a key that is never accepted.
 * Takes linear time for any text, and skips what lies below the nesting limit.
 */
export const findIssues = (text: string): Issues => find(text, maxNesting, () => true);

/** Finds only the keys that an object has twice, at any depth. */
export const findRepeatedKeys = (text: string): Issues =>
  find(text, Number.POSITIVE_INFINITY, (keyword) => keyword === 'uniqueKeys');

/** The issue of a key that the outermost object has twice. */
export const repeatedKey = (name: string): PayloadIssue => issueAt([{ at: name }], 'uniqueKeys');

function find(text: string, levels: number, isWanted: (keyword: Keyword) => boolean): Issues {
  const open: Open[] = [];
  const found: PayloadIssue[] = [];
  function report(keyword: Keyword): void {
    if (isWanted(keyword) && found.length < maxIssues) found.push(issueAt(open, keyword));
  }
  let tooDeep = 0;

  for (let start = 0, end = 0; start < text.length; start = end) {
    end = endOfToken(text, start);
    const character = text[start] as string;
    if (character === '{' || character === '[') {
      if (tooDeep > 0) tooDeep++;
      else if (open.length < levels)
        open.push(
          character === '[' ? { at: 0 } : { at: '', keys: new Map(), afterColon: false, splits: false },
        );
      else {
        report('maxNesting');
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
        checkKey(parent, string, report);
      } else if (parent?.at === referenceKey && 'splits' in parent) {
        parent.splits = string.split('.', 3).length === 2;
      }
      if (!string.isWellFormed()) report('wellFormed');
    } else if (isNumeric(character)) {
      const literal = text.slice(start, end);
      if (keptNumber(literal) === undefined) report(isInteger(literal) ? 'integerRange' : 'exactNumber');
    } else punctuate(character, open, report);
  }
  return found;
}

function checkKey({ keys }: OpenObject, key: string, report: (keyword: Keyword) => void): void {
  const reported = keys.get(key);
  keys.set(key, reported !== undefined);
  if (reported === false) report('uniqueKeys');
  if (key === bsonTypeKey) report('reservedKey');
  if (key.includes('\0')) report('keyWithoutNul');
}

function punctuate(character: string, open: Open[], report: (keyword: Keyword) => void): void {
  const parent = open.at(-1);
  if (!parent) return;
  if (character === '}' || character === ']') {
    if ('keys' in parent && parent.splits && parent.keys.has(idKey)) {
      parent.at = referenceKey;
      report('reference');
    }
    open.pop();
  } else if ('keys' in parent) {
    if (character === ':') parent.afterColon = true;
    else if (character === ',') parent.afterColon = false;
  } else if (character === ',') {
    parent.at++;
  }
}

function issueAt(path: { at: string | number }[], keyword: Keyword): PayloadIssue {
  let pointer = '';
  for (const { at } of path) {
    // Escaping endless keys in full for each issue would take seconds.
    if (pointer.length > maxPath) break;
    pointer += toPointer([String(at).slice(0, maxPath)]);
  }
  const short = pointer.length > maxPath ? `${pointer.slice(0, maxPath)}…` : pointer;
  // The answer cannot hold half a surrogate pair, whether it was sent or left by the cut.
  return { path: short.toWellFormed(), keyword, message: messages[keyword] };
}
