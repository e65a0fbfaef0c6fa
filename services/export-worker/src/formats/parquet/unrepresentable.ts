import { toPointer } from '@sluice/shared/payloads/leaves.ts';
import { Unexportable } from '../unexportable.ts';

/** A value that the type of its column cannot hold. */
export class Unrepresentable extends Unexportable {
  constructor(entry: string, path: string[], what: string) {
    const pointer = toPointer(path).slice(0, 200);
    super(
      `entry ${entry} has ${what} at ${pointer}, which its Parquet column cannot hold; csv and ndjson take it`,
    );
  }
}
