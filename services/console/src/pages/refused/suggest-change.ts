import { nearestNumber } from '@sluice/json/numbers.ts';
import { isJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { dateOrders, decimalMarks, toDateText, toNumberText, unitOf } from '@sluice/json/written-values.ts';
import { nearest } from '@sluice/shared/nearest.ts';
import type { Schemas } from '../../api/client.ts';
import { type Fix, type FixChange, newChange } from './fix.ts';
import { allTypes, isRequired, shapeAt } from './schema-at.ts';

type Group = Pick<Schemas['RefusedGroup'], 'path' | 'keyword' | 'property'>;
export type Values = Pick<Schemas['RefusedValues'], 'read' | 'values' | 'members' | 'numbers' | 'sizes'>;
type Counted = Values['values'][number];

/** A change of uploads that may make them conform. */
export interface ChangeSuggestion extends Fix {
  /** How many of the uploads that were read it is about. */
  covers: number;
}

interface Place {
  schema: string;
  path: string;
  values: Counted[];
}

const mostReplaced = 20;

const sum = (values: { count: number }[]) => values.reduce((all, { count }) => all + count, 0);
const nothing: ChangeSuggestion = { changes: [], patch: '', covers: 0 };
const join = (...parts: ChangeSuggestion[]): ChangeSuggestion => ({
  // Ids are of the list.
  changes: parts.flatMap(({ changes }) => changes).map((change, id) => ({ ...change, id })),
  patch: parts.map(({ patch }) => patch).find((patch) => patch !== '') ?? '',
  covers: sum(parts.map(({ covers }) => ({ count: covers }))),
});
const one = (change: Partial<FixChange>, covered: Counted[]): ChangeSuggestion =>
  covered.length === 0 ? nothing : { changes: [newChange(change)], patch: '', covers: sum(covered) };

const textsOf = (values: Counted[]) =>
  values.filter((each): each is Counted & { value: string } => typeof each.value === 'string');

/** The only style in which all texts can be read that any style reads; undefined if there are several. */
function pickStyle<Style>(
  texts: (Counted & { value: string })[],
  styles: readonly Style[],
  convert: (text: string, style: Style) => string | undefined,
) {
  const covered = texts.filter(({ value }) => styles.some((style) => convert(value, style) !== undefined));
  const fitting = styles.filter((style) => covered.every(({ value }) => convert(value, style) !== undefined));
  const meanings = new Set(
    fitting.map((style) => JSON.stringify(covered.map(({ value }) => convert(value, style)))),
  );
  return { covered, style: meanings.size === 1 ? fitting[0] : undefined };
}

const isPlain = ({ value }: { value: string }) => /^\s*-?(0|[1-9]\d*)(\.\d+)?\s*$/.test(value);

/** The unit that most texts have. Others are left as they are: their numbers mean something else. */
function commonUnit(texts: (Counted & { value: string })[]): string {
  const counts = new Map<string, number>();
  for (const { value, count } of texts) {
    const unit = unitOf(value);
    if (unit !== undefined) counts.set(unit, (counts.get(unit) ?? 0) + count);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}

function toNumbers({ path, values }: Place, type: 'number' | 'integer'): ChangeSuggestion {
  const texts = textsOf(values);
  const unit = commonUnit(texts.filter((each) => !isPlain(each)));
  const { covered, style } = pickStyle(texts, decimalMarks, (text, decimal) =>
    toNumberText(text, { decimal, unit }),
  );
  if (covered.every(isPlain)) return one({ path, to: type }, texts.filter(isPlain));
  // `1.234` beside `25,00` may be either.
  const isMixed = style === ',' && covered.some((each) => isPlain(each) && each.value.includes('.'));
  return one({ path, to: 'written', unit, decimal: isMixed ? '' : (style ?? '') }, covered);
}

/** Dates with one separator say nothing of those with another. */
const separatorOf = ({ value }: { value: string }) => /[./-]/.exec(value)?.[0];

function toDates({ path, values }: Place): ChangeSuggestion {
  const texts = textsOf(values);
  const bySeparator = [...new Set(texts.map(separatorOf))].map((separator) =>
    pickStyle(
      texts.filter((text) => separatorOf(text) === separator),
      dateOrders,
      toDateText,
    ),
  );
  const found = bySeparator.filter(({ covered }) => covered.length > 0);
  const [style, ...others] = new Set(found.map((each) => each.style));
  const order = others.length === 0 ? (style ?? '') : '';
  return one(
    { path, to: 'date', order },
    found.flatMap(({ covered }) => covered),
  );
}

/** What says nothing is removed where it may be missing. It says nothing of the schema either, so it does not count. */
function withoutEmpty({ schema, path, values }: Place, empty: null | ''): ChangeSuggestion {
  const covered = values.filter(({ value }) => value === empty);
  const to = isRequired(schema, path) ? 'replace' : 'remove';
  return { ...one({ path, to, from: JSON.stringify(empty) }, covered), covers: 0 };
}

function toType(place: Place): ChangeSuggestion {
  const { schema, path, values } = place;
  const shape = shapeAt(schema, path);
  const types = shape ? allTypes(shape) : [];
  const [type] = types;
  const converted = {
    number: () => toNumbers(place, 'number'),
    integer: () => toNumbers(place, 'integer'),
    boolean: () =>
      one(
        { path, to: 'boolean' },
        textsOf(values).filter(({ value }) => /^\s*(true|false)\s*$/i.test(value)),
      ),
    string: () =>
      one(
        { path, to: 'string' },
        values.filter(({ value }) => typeof value === 'boolean' || nearestNumber(value) !== undefined),
      ),
  };
  const main =
    types.length === 1 && type && type in converted ? converted[type as keyof typeof converted]() : nothing;
  return join(main, withoutEmpty(place, null), type === 'string' ? nothing : withoutEmpty(place, ''));
}

/** A text as it is typed: quoted where it could be taken for another value. */
const typed = (text: string) => (isJson(text) ? JSON.stringify(text) : text);

function toListed({ schema, path, values }: Place): ChangeSuggestion {
  const shape = shapeAt(schema, path);
  const listed = (shape?.values ?? []).map(({ value }) => value).filter((each) => typeof each === 'string');
  const texts = textsOf(values).slice(0, mostReplaced);
  const spaced = texts.filter(({ value }) => listed.includes(value.trim()));
  const slips = texts.flatMap(({ value, count }) => {
    const meant = spaced.some((each) => each.value === value) ? undefined : nearest(value, listed);
    return meant === undefined
      ? []
      : [one({ path, to: 'replace', from: typed(value), value: typed(meant) }, [{ value, count }])];
  });
  const found = join(one({ path, to: 'trim' }, spaced), ...slips);
  if (found.covers > 0) return found;
  const asked = texts.slice(0, 1).map(({ value }) => newChange({ path, to: 'replace', from: typed(value) }));
  return { changes: asked, patch: '', covers: 0 };
}

const bare = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function similar(name: string, names: string[]): string | undefined {
  return names.find((each) => bare(each) === bare(name)) ?? nearest(name, names);
}

const move = (path: string, from: string, to: string) =>
  JSON.stringify([{ op: 'move', from: path + toPointer([from]), path: path + toPointer([to]) }]);

function toName({ path, property = '' }: Group, { members, read }: Values, schema: string): ChangeSuggestion {
  const known = new Set(shapeAt(schema, path)?.properties.map(({ name }) => name));
  const strange = members.filter(({ name }) => !known.has(name));
  const from = similar(
    property,
    strange.map(({ name }) => name),
  );
  const covers = strange.find(({ name }) => name === from)?.count ?? 0;
  if (from !== undefined && covers * 2 >= read)
    return { changes: [], patch: move(path, from, property), covers };
  return {
    changes: [newChange({ path: path + toPointer([property]), to: 'default' })],
    patch: '',
    covers: 0,
  };
}

function fromName(
  { path, property = '' }: Group,
  { members, read }: Values,
  schema: string,
): ChangeSuggestion {
  const taken = new Set(members.map(({ name }) => name));
  const free = (shapeAt(schema, path)?.properties ?? [])
    .map(({ name }) => name)
    .filter((name) => !taken.has(name));
  const to = similar(property, free);
  if (to !== undefined) return { changes: [], patch: move(path, property, to), covers: read };
  return {
    changes: [],
    patch: JSON.stringify([{ op: 'remove', path: path + toPointer([property]) }]),
    covers: 0,
  };
}

/** The change that is most likely to make the uploads of a group conform. It guesses nothing that only people know. */
export function suggestChange(group: Group, found: Values, schema: string): ChangeSuggestion {
  const { path, keyword, property } = group;
  const place = { schema, path, values: found.values };
  if (keyword === 'type') return toType(place);
  if (keyword === 'enum') return toListed(place);
  if (keyword === 'format') return shapeAt(schema, path)?.format === 'date' ? toDates(place) : nothing;
  if (keyword === 'required' && property !== undefined) return toName(group, found, schema);
  if (keyword === 'additionalProperties' && property !== undefined) return fromName(group, found, schema);
  if (/^(exclusive)?(max|min)imum$/i.test(keyword))
    return { ...nothing, changes: [newChange({ path, to: 'divide' })] };
  if (keyword === 'minLength') return withoutEmpty(place, '');
  return nothing;
}
