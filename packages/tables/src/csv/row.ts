import { fromPointer } from '@sluice/json/pointer.ts';
import { types } from '@sluice/schemas/types.ts';
import { createCellJson, type Formulas } from './cell-json.ts';
import { type CsvPlace, rootPlace } from './places.ts';
import { type Delimiter, readCells } from './record.ts';

/** A key of a payload. A cell goes there, or keys are below it, or both. */
interface Node {
  /** The key as JSON, with its colon. */
  label: string;
  pointer: string;
  cell?: { at: number; toJson: ReturnType<typeof createCellJson> };
  below: Node[];
  isRequired: boolean;
  /** The key is required and may be null, so an empty cell becomes null. */
  isNullIfEmpty: boolean;
}

/** A node while the tree is built. */
interface Branch {
  node: Node;
  place: CsvPlace;
  /** By the next part of the pointer, still escaped. */
  below: Map<string, Branch>;
}

interface Members {
  /** Members with a value from a cell. */
  said: string[];
  /** Members that are null because they are required. */
  nulls: string[];
}

/** No schema accepts it as a payload. */
export class RowProblem extends Error {}

/** Turns a row into the JSON text of a payload. `columns` has the JSON Pointer of each cell, or null to skip the cell. */
export function createRowJson(
  schema: Record<string, unknown>,
  columns: (string | null)[],
  formulas: Formulas,
): (cells: string[], quoted: boolean[]) => string {
  const root = treeOf(schema, columns, formulas);

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

/** A record as the JSON text of a payload, or why it is refused. */
type RecordJson = { json: string } | { fault: string };

/** Turns records into payloads, as an import does. */
export function createRecordJson(
  schema: Record<string, unknown>,
  { columns, delimiter }: { columns: (string | null)[]; delimiter?: Delimiter | undefined },
  formulas: Formulas,
): (text: string) => RecordJson {
  const toJson = createRowJson(schema, columns, formulas);
  return (text) => {
    const record = readCells(text, columns.length, delimiter);
    if (!record.ok) return { fault: record.message };
    try {
      return { json: toJson(record.cells, record.quoted) };
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      return { fault: error.message };
    }
  };
}

function treeOf(schema: Record<string, unknown>, columns: (string | null)[], formulas: Formulas): Node {
  const root = branch('', '', rootPlace(schema));
  for (const [at, pointer] of columns.entries()) {
    if (pointer === null) continue;
    let here = root;
    const tokens = pointer.split('/').slice(1);
    for (const [depth, key] of fromPointer(pointer).entries()) {
      const token = tokens[depth] as string;
      here = here.below.get(token) ?? addTo(here, token, key);
    }
    here.node.cell = { at, toJson: createCellJson(here.place.allowed, formulas) };
  }
  return root.node;
}

function addTo({ node, place, below }: Branch, token: string, key: string): Branch {
  const added = branch(`${node.pointer}/${token}`, key, place.below(key));
  node.below.push(added.node);
  below.set(token, added);
  return added;
}

function branch(pointer: string, key: string, place: CsvPlace): Branch {
  const { allowed, isRequired } = place;
  const isNullIfEmpty = isRequired && (allowed & types.null) !== 0;
  const node = { label: `${JSON.stringify(key)}:`, pointer, below: [], isRequired, isNullIfEmpty };
  return { node, place, below: new Map() };
}

const join = ({ said, nulls }: Members) => (nulls.length === 0 ? said.join() : [...said, ...nulls].join());
