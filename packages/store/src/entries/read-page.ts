import { type FindCursor, MongoServerError } from 'mongodb';
import { FilterTimeout } from './entry-filter.ts';

export interface PageSize {
  start: number;
  /** The last document only shows that there are more, so it may have any size. */
  limit: number;
  /** Gets the bytes of each entry as it is read; an error ends the reading. */
  onRead?: ((bytes: number) => void) | undefined;
}

/** Of a page as BSON, but for a single entry: as objects they take up to five times as much. */
const pageBytes = 16 * 1024 ** 2;

export class PageTooLarge extends Error {
  /** So many of them fit. */
  readonly fitting: number;

  constructor(fitting: number) {
    super(`${fitting} of the entries fit into a page`);
    this.fitting = fitting;
  }
}

/** The documents of a cursor that gives BSON. Throws PageTooLarge. */
export async function readPage(
  cursor: FindCursor,
  { start, limit, onRead }: PageSize,
): Promise<Uint8Array[]> {
  const documents: AsyncIterable<unknown> = cursor.skip(start).limit(limit).batchSize(limit);
  return collectPage(documents as AsyncIterable<Uint8Array>, { limit, onRead });
}

/** The same for documents that are read already. */
export async function collectPage(
  documents: AsyncIterable<Uint8Array>,
  { limit, onRead }: Omit<PageSize, 'start'>,
): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  let bytes = 0;
  for await (const document of documents) {
    bytes += document.length;
    onRead?.(document.length);
    const isLast = found.length === limit - 1;
    if (bytes > pageBytes && found.length > 0 && !isLast) throw new PageTooLarge(found.length);
    found.push(document);
  }
  return found;
}

const outOfTime = 50;

/** A filtered read, of one or more commands; `left` tells each one how long it may take, in ms. Throws FilterTimeout. */
export async function inTime<T>(limitMs: number, read: (left: () => number) => Promise<T>): Promise<T> {
  const end = performance.now() + limitMs;
  try {
    return await read(() => Math.max(1, Math.round(end - performance.now())));
  } catch (error) {
    const isSlow = error instanceof MongoServerError && error.code === outOfTime;
    throw isSlow ? new FilterTimeout(limitMs, error) : error;
  }
}
