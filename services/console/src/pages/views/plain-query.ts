/** Parameters of a page of entries that views do not keep: where in the list one is, and whether it is live. */
const unkept = ['after', 'start', 'entry', 'live'];

/** The part of a query that views keep. Two queries of one meaning become the same text. */
export function toPlain(query: URLSearchParams): string {
  const kept = new URLSearchParams(query);
  for (const name of unkept) kept.delete(name);
  return kept.toString();
}
