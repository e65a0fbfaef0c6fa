import { applyEdits, type Edit, modify, type Node } from 'jsonc-parser';
import { parseExact } from '../json/exact.ts';
import { labelOf, nodeAt, type Path, rootOf, type Shape, textOf, toValueText } from './shape.ts';

const formattingOptions = { tabSize: 2, insertSpaces: true, eol: '\n' };

/** Puts spaces into a member that is added to an object of one line. */
const spaced = (edit: Edit): Edit => ({
  ...edit,
  content: edit.content.replace(/^(,?)("(?:[^"\\]|\\.)*"): */, (_, comma, key) => `${comma && ', '}${key}: `),
});

/** The text with a value at a place. Everything else keeps its characters. */
export function put(text: string, path: Path, value: unknown): string {
  const root = rootOf(text);
  const around = root && nodeAt(root, path.slice(0, -1));
  const isOneLine = around && around.length > 2 && !textOf(around, text).includes('\n');
  if (isOneLine) return applyEdits(text, modify(text, path, value, {}).map(spaced));
  return applyEdits(text, modify(text, path, value, { formattingOptions }));
}

/** The text without the member or element at a place. */
export function drop(text: string, path: Path): string {
  const root = rootOf(text);
  const found = root && nodeAt(root, path);
  const node = found?.parent?.type === 'property' ? found.parent : found;
  const siblings = node?.parent?.children;
  if (!node || !siblings) return text;
  const at = siblings.indexOf(node);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  const from = before ? endOf(before) : node.offset;
  const to = before ? endOf(node) : (after?.offset ?? endOf(node));
  return text.slice(0, from) + text.slice(to);
}

const endOf = ({ offset, length }: Node) => offset + length;

function childrenAt(text: string, path: Path): Node[] | undefined {
  const root = rootOf(text);
  return root && nodeAt(root, path)?.children;
}

/** Adds or removes a name in a list such as `required`. An empty list is removed, as draft 4 forbids it. */
function setListed(text: string, path: Path, name: string, isListed: boolean): string {
  const names = childrenAt(text, path)?.map(({ value }) => value);
  if (!names) return isListed ? put(text, path, [name]) : text;
  const at = names.indexOf(name);
  if (isListed) return at < 0 ? put(text, [...path, -1], name) : text;
  if (at < 0) return text;
  return drop(text, names.length === 1 ? path : [...path, at]);
}

/** `path` is that of the object schema around the field. */
export const setRequired = (text: string, path: Path, name: string, isRequired: boolean): string =>
  setListed(text, [...path, 'required'], name, isRequired);

export const setType = (text: string, path: Path, type: string, isNullable: boolean): string =>
  type === ''
    ? drop(text, [...path, 'type'])
    : put(text, [...path, 'type'], isNullable && type !== 'null' ? [type, 'null'] : type);

export const addField = (text: string, path: Path, name: string): string =>
  put(text, [...path, 'properties', name], { type: 'string' });

export const removeField = (text: string, path: Path, name: string): string =>
  setRequired(drop(text, [...path, 'properties', name]), path, name, false);

/** Changes the name of a field where it stands, and in `required`. */
export function renameField(text: string, path: Path, name: string, to: string): string {
  const root = rootOf(text);
  const property = root && nodeAt(root, [...path, 'properties', name])?.parent?.children?.[0];
  const listed = childrenAt(text, [...path, 'required'])?.filter(({ value }) => value === name) ?? [];
  const content = JSON.stringify(to);
  return applyEdits(
    text,
    [property, ...listed].flatMap((node) =>
      node ? [{ offset: node.offset, length: node.length, content }] : [],
    ),
  );
}

/** Removes and appends values of `enum`, so that the others keep their digits. */
export function setValues(text: string, path: Path, shape: Shape, labels: string[]): string {
  const known = shape.values.map((node) => labelOf(node, text, shape));
  const added = labels.filter((label) => !known.includes(label));
  if (labels.length === 0) return drop(text, [...path, 'enum']);
  let next = text;
  for (const label of added) {
    const value = parseExact(toValueText(label, shape));
    next = childrenAt(next, [...path, 'enum'])
      ? put(next, [...path, 'enum', -1], value)
      : put(next, [...path, 'enum'], [value]);
  }
  for (const [at, label] of [...known.entries()].reverse())
    if (!labels.includes(label)) next = drop(next, [...path, 'enum', at]);
  return next;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether a limit can be set to this text. Empty removes it. Lengths are whole numbers. */
export const isLimit = (name: string, value: string): boolean =>
  value === '' ||
  (/Length|Items/.test(name)
    ? /^\d+$/.test(value)
    : jsonNumber.test(value) && Number.isFinite(Number(value)));

/** The number keeps its digits. */
export const setLimit = (text: string, path: Path, name: string, value: string): string =>
  value === '' ? drop(text, [...path, name]) : put(text, [...path, name], parseExact(value));

export const setFormat = (text: string, path: Path, format: string): string =>
  format === '' ? drop(text, [...path, 'format']) : put(text, [...path, 'format'], format);
