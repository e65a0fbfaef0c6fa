import { document, documentEnd, emptySize, keyEnd, type Memory, valueEnd } from './bson-walk.ts';
import { type ByteSink, reserve } from './byte-sink.ts';
import { type FieldNode, findChild } from './field-tree.ts';
import { writeJsonKey, writeReserved } from './write-json.ts';

/** Keeps the fields that have a place, or the fields without a column. */
type Kept = 'placed' | 'others';

/** Writes an object with only the kept fields. The nesting stays. */
export function writePruned(
  sink: ByteSink,
  source: Memory,
  start: number,
  tree: FieldNode,
  kept: Kept = 'placed',
): void {
  reserve(sink, 6 * (documentEnd(source, start) - start) + 32);
  writeMembers(sink, source, start, tree, kept);
}

/** Returns whether a field was kept. */
function writeMembers(sink: ByteSink, source: Memory, start: number, parent: FieldNode, kept: Kept): boolean {
  const { bytes } = sink;
  const end = documentEnd(source, start);
  let before: FieldNode | undefined;
  let some = false;
  bytes[sink.length++] = 0x7b;
  for (let at = start + 4; at < end; ) {
    const type = source.bytes[at] as number;
    const key = at + 1;
    const value = keyEnd(source, key) + 1;
    at = valueEnd(source, type, value);
    const node = findChild(parent, before, source, key);
    if (node) before = node;
    const isNested = type === document && at - value > emptySize && !node?.isWhole;
    const below = isNested ? node : undefined;
    const isKept =
      kept === 'placed' ? (below ? below.wanted : node && node.place >= 0) : below || !node?.column;
    if (!isKept) continue;
    const start = sink.length;
    if (some) bytes[sink.length++] = 0x2c;
    writeJsonKey(sink, source, key);
    bytes[sink.length++] = 0x3a;
    if (!below) writeReserved(sink, source, type, value);
    else if (!writeMembers(sink, source, value, below, kept)) {
      sink.length = start;
      continue;
    }
    some = true;
  }
  bytes[sink.length++] = 0x7d;
  return some;
}
