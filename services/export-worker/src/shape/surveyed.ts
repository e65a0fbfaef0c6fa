import type { Column } from '@sluice/schemas/columns/columns.ts';
import type { ShapeNode } from './shape-node.ts';

/** A column, and what the entries have there. */
export interface Surveyed {
  column: Column;
  node: ShapeNode;
}
