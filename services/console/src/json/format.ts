import { applyEdits, format } from 'jsonc-parser';

/** A JSON text with line breaks and two spaces; digits, names and their order stay. */
export const formatJson = (text: string): string =>
  applyEdits(text, format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' }));
