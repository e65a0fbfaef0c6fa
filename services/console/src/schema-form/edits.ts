import { applyEdits, type Node } from 'jsonc-parser';
import { parseExact } from '../json/exact.ts';
import { type FormShape, labelOf, nodeAt, type Path, rootOf, textOf, toValueText } from './shape.ts';

const endOf = ({ offset, length }: Node) => offset + length;
const splice = (text: string, from: number, to: number, part: string) =>
  text.slice(0, from) + part + text.slice(to);
const indentAt = (text: string, offset: number) =>
  /^\s*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? '';

/** The JSON text of a value. Without an indent, objects are on one line, as lists are anyway. */
function written(value: unknown, indent?: string): string {
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(', ')}]`;
  return JSON.stringify(value, null, 2).replace(/\n\s*/g, (spaces) =>
    indent === undefined ? ' ' : spaces.replace('\n', `\n${indent}`),
  );
}

/** The text with a value at a place; -1 is behind the last of a list. Everything else keeps its characters. */
export function put(text: string, path: Path, value: unknown): string {
  const root = rootOf(text);
  if (!root) return text;
  const node = nodeAt(root, path);
  if (node) return splice(text, node.offset, endOf(node), written(value, indentAt(text, node.offset)));
  const key = path.at(-1) as string | number;
  const around = nodeAt(root, path.slice(0, -1));
  if (!around) return put(text, path.slice(0, -1), key === -1 ? [value] : { [key]: value });
  const label = key === -1 ? '' : `${JSON.stringify(key)}: `;
  const last = around.children?.at(-1);
  if (last && !textOf(around, text).includes('\n'))
    return splice(text, endOf(last), endOf(last), `, ${label}${written(value)}`);
  const outer = indentAt(text, around.offset);
  const indent = last ? indentAt(text, last.offset) : `${outer}  `;
  const line = `\n${indent}${label}${written(value, indent)}`;
  if (last) return splice(text, endOf(last), endOf(last), `,${line}`);
  return splice(text, around.offset + 1, endOf(around) - 1, `${line}\n${outer}`);
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
  return splice(text, from, to, '');
}

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

/** Whether fields that the object schema does not name are refused. */
export const setClosed = (text: string, path: Path, isClosed: boolean): string =>
  isClosed
    ? put(text, [...path, 'additionalProperties'], false)
    : drop(text, [...path, 'additionalProperties']);

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
export function setValues(text: string, path: Path, shape: FormShape, labels: string[]): string {
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

/** Sets a keyword whose value is a text. Empty removes it. */
export const setText = (text: string, path: Path, name: string, value: string): string =>
  value === '' ? drop(text, [...path, name]) : put(text, [...path, name], value);
