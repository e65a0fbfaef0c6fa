import { isJson } from '@sluice/json/parse-json.ts';
import { findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser';

/** Where a schema is in the text: keys and places in lists. */
export type Path = (string | number)[];

export const typeNames = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Limits by type, as the form shows them. */
export const limitsOf: Record<string, readonly [string, string]> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
};

/** Keywords without an effect on uploads; the form does not mention them. */
const notes = new Set('$schema $id id $comment default examples deprecated readOnly writeOnly'.split(' '));

export interface FormMember {
  name: string;
  node: Node;
}

/** What the form shows of a schema. */
export interface FormShape {
  /** Empty if the schema names none; several, if it names more than one besides null. */
  types: string[];
  isNullable: boolean;
  title: string;
  description: string;
  format: string;
  /** The values of `enum`. */
  values: Node[];
  limits: Record<string, string>;
  properties: FormMember[];
  required: Set<string>;
  items: Node | undefined;
  /** Other fields are refused. */
  isClosed: boolean;
  /** Keywords that only the JSON shows. */
  others: string[];
}

/** The root of a text that is a JSON object; undefined for other texts. */
export function rootOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { disallowComments: true });
    return errors.length === 0 && root?.type === 'object' ? root : undefined;
  } catch {
    // It is nested too deeply for the stack.
    return undefined;
  }
}

export const membersOf = ({ children = [] }: Node): FormMember[] =>
  children.flatMap(({ children: [key, value] = [] }) =>
    key && value ? [{ name: String(key.value), node: value }] : [],
  );

const isDistinct = (list: unknown[]) => new Set(list).size === list.length;
const isText = ({ type }: Node) => type === 'string';
const isScalar = ({ type }: Node) => type !== 'object' && type !== 'array';
const listOf = (node: Node): string[] => (node.children ?? []).map(({ value }) => value);
const isListOfTexts = (node: Node) =>
  node.type === 'array' && (node.children ?? []).every(isText) && isDistinct(listOf(node));
const limitNames = new Set(Object.values(limitsOf).flat());

/** Whether the form can show a keyword with this value. */
function canShow(name: string, node: Node): boolean {
  if (name === 'type') return isText(node) || isListOfTexts(node);
  if (name === 'format' || name === 'title' || name === 'description') return isText(node);
  if (name === 'enum') return node.type === 'array' && (node.children ?? []).every(isScalar);
  if (name === 'properties')
    return node.type === 'object' && isDistinct(membersOf(node).map((member) => member.name));
  if (name === 'required') return isListOfTexts(node);
  if (name === 'additionalProperties') return node.type === 'boolean';
  if (name === 'items') return node.type === 'object';
  return limitNames.has(name) ? node.type === 'number' : notes.has(name);
}

/** Undefined for a schema that is no object, or has a keyword twice: the form shows nothing of it. */
export function shapeOf(node: Node, text: string): FormShape | undefined {
  const members = membersOf(node);
  if (node.type !== 'object' || !isDistinct(members.map(({ name }) => name))) return undefined;
  const shown = new Map(
    members.filter((each) => canShow(each.name, each.node)).map((each) => [each.name, each.node]),
  );
  const type = shown.get('type');
  const types = type ? (isText(type) ? [String(type.value)] : listOf(type)) : [];
  const properties = shown.get('properties');
  const required = shown.get('required');
  const isNullable = types.length > 1 && types.includes('null');
  const limits = [...shown].filter(([name]) => limitNames.has(name));
  const textAt = (name: string) => String(shown.get(name)?.value ?? '');
  return {
    types: isNullable ? types.filter((each) => each !== 'null') : types,
    isNullable,
    title: textAt('title'),
    description: textAt('description'),
    format: textAt('format'),
    values: shown.get('enum')?.children ?? [],
    limits: Object.fromEntries(limits.map(([name, limit]) => [name, textOf(limit, text)])),
    properties: properties ? membersOf(properties) : [],
    required: new Set(required && listOf(required)),
    items: shown.get('items'),
    isClosed: shown.get('additionalProperties')?.value === false,
    others: members.flatMap(({ name }) => (shown.has(name) ? [] : [name])),
  };
}

export const textOf = ({ offset, length }: Node, text: string): string => text.slice(offset, offset + length);

export const nodeAt = (root: Node, path: Path): Node | undefined => findNodeAtLocation(root, path);

type Typed = Pick<FormShape, 'types' | 'isNullable'>;

/** Whether a text that is typed as a value is a string as it is, though it may be JSON. */
const isPlain = (value: string, { types, isNullable }: Typed) =>
  types.length === 1 && types[0] === 'string' && !(isNullable && (value === 'null' || value === '"null"'));

/** A value of an `enum` as it is typed: strings have quotes where they could be taken for other values. */
export function labelOf(node: Node, text: string, typed: Typed): string {
  const isBare = isText(node) && (isPlain(node.value, typed) || !isJson(node.value));
  return isBare ? node.value : textOf(node, text);
}

/** The JSON text of a typed value. */
export const toValueText = (label: string, typed: Typed): string =>
  !isPlain(label, typed) && isJson(label) && !/^\s*[[{]/.test(label) ? label.trim() : JSON.stringify(label);

/** What the form shows of a schema that says nothing. */
export const emptyShape = shapeOf({ type: 'object', offset: 0, length: 0 }, '') as FormShape;

/** An array of arrays ends in its innermost items. `pointer` leads to them. */
export function innermost(path: Path, pointer: string, shape: FormShape, text: string) {
  const found = { path, pointer, shape };
  for (let node = shape.items; node; node = found.shape.items) {
    const items = shapeOf(node, text);
    if (!items) break;
    Object.assign(found, { path: [...found.path, 'items'], pointer: `${found.pointer}/-`, shape: items });
  }
  return found;
}
