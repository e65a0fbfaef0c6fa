import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';

/** Offsets in a text; `to` is not included. */
export interface Range {
  from: number;
  to: number;
}

const toKeys = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Of a place that has several lines only the first: that is what is marked. */
function firstLine(text: string, from: number, to: number): Range {
  const end = text.indexOf('\n', from);
  return { from, to: Math.max(from, Math.min(to, end === -1 ? text.length : end)) };
}

/** Undefined where there is none, or it is too deep for the stack. */
function treeOf(text: string): Node | undefined {
  try {
    return parseTree(text);
  } catch {
    return undefined;
  }
}

/** The first line of the value at a JSON Pointer; where there is no such value, of the closest one around it. */
export function placeOfPointer(text: string, pointer: string): Range {
  let node = treeOf(text);
  if (!node) return firstLine(text, 0, text.length);
  for (const key of toKeys(pointer)) {
    const child = findNodeAtLocation(node, [node.type === 'array' ? Number(key) : key]);
    if (!child) break;
    node = child;
  }
  const from = node.parent?.type === 'property' ? node.parent.offset : node.offset;
  return firstLine(text, from, node.offset + node.length);
}

function placeOfLine(text: string, line: number, column: number): Range {
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
