import type { CompletionContext, CompletionSource } from '@codemirror/autocomplete';
import { StreamLanguage, syntaxTree } from '@codemirror/language';
import { type AskedColumn, sqlFunctions, sqlWords } from './columns.ts';

const words = new Set(sqlWords);

/** Colours of SQL, line by line. */
export const sqlLanguage = StreamLanguage.define({
  name: 'sql',
  // A completed name brings its own double quotes.
  languageData: { closeBrackets: { brackets: ['(', "'"] } },
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/--.*/)) return 'comment';
    if (stream.match(/'(?:[^']|'')*'?/)) return 'string';
    if (stream.match(/"(?:[^"]|"")*"?/)) return 'propertyName';
    if (stream.match(/\d[\d.]*(?:e[+-]?\d+)?/i)) return 'number';
    const word = stream.match(/[a-z_]\w*/i) as RegExpMatchArray | null;
    if (word) return words.has(word[0].toLowerCase()) ? 'keyword' : null;
    stream.next();
    return null;
  },
});

const isProse = ({ state, pos }: CompletionContext) =>
  ['string', 'comment'].includes(syntaxTree(state).resolveInner(pos, -1).name);

/** Completes columns, functions and the words of SQL, in this order. */
export function completeSql(columns: AskedColumn[]): CompletionSource {
  const options = [
    ...columns.map(({ sql }) => ({ label: sql, type: 'property', boost: 2 })),
    ...sqlFunctions.map((label) => ({ label, type: 'function', apply: `${label}(`, boost: 1 })),
    ...sqlWords.map((label) => ({ label, type: 'keyword' })),
    { label: 'entries', type: 'property', boost: 2 },
  ];
  return (context) => {
    const typed = context.matchBefore(/[\w".]+/);
    if ((!typed && !context.explicit) || isProse(context)) return null;
    return { from: typed?.from ?? context.pos, options, validFor: /^[\w".]*$/ };
  };
}
