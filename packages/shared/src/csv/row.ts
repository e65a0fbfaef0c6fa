import type { Formulas } from '../contracts/jobs.ts';
import { fromPointer } from '../payloads/leaves.ts';
import { createCellJson } from './cell-json.ts';
import { createPlaces } from './cell-types.ts';

/** A key of a payload: a cell goes there, or there are keys below it, or either. */
interface Node {
  /** The key as JSON, with its colon. */
  label: string;
  pointer: string;
  cell?: { at: number; toJson: ReturnType<typeof createCellJson> };
  below: Node[];
  isRequired: boolean;
  /** Where the cell says nothing: it must be there, and may be null. */
  isNullIfEmpty: boolean;
}

interface Members {
  /** Those that cells say. */
  said: string[];
  /** Those that are null because they must be there. */
  nulls: string[];
}

/** What cannot be a payload whatever the schema says. */
export class RowProblem extends Error {}

/** How a row becomes the JSON text of a payload. `columns`: where each cell goes, as a JSON Pointer; null: nowhere. */
export function createRowJson(
  schema: Record<string, unknown>,
  columns: (string | null)[],
  formulas: Formulas,
): (cells: string[], quoted: boolean[]) => string {
  const places = createPlaces(schema);
  const root: Node = newNode('', '');

  function newNode(pointer: string, key: string): Node {
    const { types, isRequired } = places(pointer);
    const label = `${JSON.stringify(key)}:`;
    return { label, pointer, below: [], isRequired, isNullIfEmpty: isRequired && types.has('null') };
  }

  for (const [at, pointer] of columns.entries()) {
    if (pointer === null) continue;
    let node = root;
    let path = '';
    const tokens = pointer.split('/').slice(1);
    for (const [depth, key] of fromPointer(pointer).entries()) {
      path += `/${tokens[depth]}`;
      const known = node.below.find((child) => child.pointer === path);
      const next = known ?? newNode(path, key);
      if (!known) node.below.push(next);
      node = next;
    }
    node.cell = { at, toJson: createCellJson(places(pointer).types, formulas) };
  }

  function add(node: Node, cells: string[], quoted: boolean[], members: Members): void {
    const { cell, label } = node;
    const own = cell?.toJson(cells[cell.at] as string, quoted[cell.at] as boolean);
    const inner = node.below.length > 0 ? membersOf(node, cells, quoted) : undefined;
    if (own !== undefined) {
      if (inner && inner.said.length > 0)
        throw new RowProblem(`${node.pointer} has a value of its own and others below it`);
      members.said.push(label + own);
    } else if (inner && inner.said.length > 0) members.said.push(`${label}{${join(inner)}}`);
    else if (inner && inner.nulls.length > 0 && node.isRequired)
      members.nulls.push(`${label}{${join(inner)}}`);
    else if (cell && node.isNullIfEmpty) members.nulls.push(`${label}null`);
  }

  function membersOf(node: Node, cells: string[], quoted: boolean[]): Members {
    const members: Members = { said: [], nulls: [] };
    for (const child of node.below) add(child, cells, quoted, members);
    return members;
  }

  return (cells, quoted) => `{${join(membersOf(root, cells, quoted))}}`;
}

const join = ({ said, nulls }: Members) => (nulls.length === 0 ? said.join() : [...said, ...nulls].join());
