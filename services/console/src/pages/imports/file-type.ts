export const fileTypes = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
} as const;

export type FileType = keyof typeof fileTypes;

/** The type by the name of a file, which may be compressed; undefined for other names. */
export function fileTypeOf(name: string): FileType | undefined {
  const extension = /\.(\w+)(?:\.(?:gz|zst))?$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === 'csv' || extension === 'json') return extension;
  return extension === 'ndjson' || extension === 'jsonl' ? 'ndjson' : undefined;
}

export const isCompressed = (name: string): boolean => /\.(gz|zst)$/i.test(name);
