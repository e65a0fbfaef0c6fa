import { toPointer } from './pointer.ts';
import { bsonTypeKey, maxNesting, referenceKey } from './rules.ts';

/** `path` is a JSON Pointer to the value or member; one over 1,000 characters is cut and ends in `…`. */
export type PayloadIssue = { path: string; keyword: string; message: string };

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

export type Keyword = keyof typeof messages;

/** A key of an object, or an index of an array. */
interface Place {
  at: string | number;
}

/** Collects the first 100 issues; both bounds keep a hostile body from growing the answer. */
export function createIssues(): {
  found: PayloadIssue[];
  report: (path: Place[], keyword: Keyword) => void;
} {
  const found: PayloadIssue[] = [];
  return {
    found,
    report: (path, keyword) => {
      if (found.length === maxIssues) return;
      const pointer = startOfPointer(path);
      const short = pointer.length > maxPath ? `${pointer.slice(0, maxPath)}…` : pointer;
      // Half a surrogate pair, sent or left by the cut, could not be encoded in the answer.
      found.push({ path: short.toWellFormed(), keyword, message: messages[keyword] });
    },
  };
}

/** For a key that the outermost object has twice. */
export function repeatedKey(name: string): PayloadIssue {
  const { found, report } = createIssues();
  report([{ at: name }], 'uniqueKeys');
  return found[0] as PayloadIssue;
}

/** The pointer as far as it is shown: escaping endless keys in full for each issue would take seconds. */
function startOfPointer(path: Place[]): string {
  let pointer = '';
  for (const { at } of path) {
    if (pointer.length > maxPath) break;
    pointer += toPointer([String(at).slice(0, maxPath)]);
  }
  return pointer;
}
