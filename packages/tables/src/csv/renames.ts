import { findIssues } from '@sluice/json/find-issues.ts';
import { isJson, parseJson } from '@sluice/json/parse-json.ts';
import { MalformedText } from '@sluice/json/split.ts';

/** Other names of columns, by those of the header; null leaves a column out. */
type Renames = ReadonlyMap<string, string | null>;

/** Whether names are a JSON object, and no list. */
export const isRenames = (names: string): boolean => names.startsWith('{');

/** Reads such as `{"Ort":"place","x":null}`. Throws ApiError. */
export function readRenames(text: string): Renames {
  const refuse = (message: string) => new MalformedText(`columns ${message}`);
  const given = isJson(text) ? (parseJson(text) as Record<string, unknown>) : undefined;
  if (!given || findIssues(text).length > 0)
    throw refuse('must be a JSON object that has each name once, such as {"Ort":"place","x":null}');
  const renames = new Map<string, string | null>();
  const taken = new Map<string, string>();
  for (const [name, other] of Object.entries(given)) {
    if (other !== null && (typeof other !== 'string' || other === ''))
      throw refuse(`must give ${shown(name)} a name, or null to leave the column out`);
    const before = other === null ? undefined : taken.get(other);
    if (before !== undefined)
      throw refuse(`gives ${shown(before)} and ${shown(name)} one name: ${shown(other as string)}`);
    if (other !== null) taken.set(other, name);
    renames.set(name, other);
  }
  return renames;
}

/** The names of a header as columns are to be called. Throws ApiError if one is missing. */
export function rename(names: string[], renames: Renames): (string | null)[] {
  for (const name of renames.keys())
    if (!names.includes(name))
      throw new MalformedText(`the CSV has no column ${shown(name)}, which columns renames`);
  return names.map((name) => renames.get(name) ?? (renames.has(name) ? null : name));
}

const shown = (name: string) => JSON.stringify(name.slice(0, 100));
