import { fromPointer } from '@sluice/json/pointer.ts';
import { applyEdits, findNodeAtLocation, format, type Node, parseTree } from 'jsonc-parser';

/** Offsets in a text; `to` is not included. */
export interface Range {
  from: number;
  to: number;
}

/** Only the first line of a place is marked. */
function firstLine(text: string, from: number, to: number): Range {
  const end = text.indexOf('\n', from);
  return { from, to: Math.max(from, Math.min(to, end === -1 ? text.length : end)) };
}

/** Undefined where the text has no value, or is nested too deeply for the stack. */
function treeOf(text: string): Node | undefined {
  try {
    return parseTree(text);
  } catch {
    return undefined;
  }
}

/** The first line of the value at a JSON Pointer, or of the closest value around it. */
export const placeOfPointer = (text: string, pointer: string): Range =>
  placeOfPath(text, fromPointer(pointer));

export function placeOfPath(text: string, path: (string | number)[]): Range {
  let node = treeOf(text);
  if (!node) return firstLine(text, 0, text.length);
  for (const key of path) {
    const child = findNodeAtLocation(node, [node.type === 'array' ? Number(key) : key]);
    if (!child) break;
    node = child;
  }
  const from = node.parent?.type === 'property' ? node.parent.offset : node.offset;
  return firstLine(text, from, node.offset + node.length);
}

export function placeOfLine(text: string, line: number, column: number): Range {
  const before = text.split('\n').slice(0, line - 1);
  const start = before.reduce((offset, each) => offset + each.length + 1, 0);
  return firstLine(text, Math.min(start + column - 1, text.length), text.length);
}

/** The place that a message of the API names, by line and column or by a JSON Pointer; else the first line. */
export function placeOfMessage(text: string, message: string): Range {
  const [, line, column] = / at line (\d+), column (\d+)/.exec(message) ?? [];
  if (line && column) return placeOfLine(text, Number(line), Number(column));
  const [, pointer = ''] = /(?: at |^)(\/[^\s:;,]*)/.exec(message) ?? [];
  return placeOfPointer(text, pointer);
}

/** A JSON text with line breaks and two spaces. Digits, names and their order stay. */
export const formatJson = (text: string): string =>
  applyEdits(text, format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' }));
