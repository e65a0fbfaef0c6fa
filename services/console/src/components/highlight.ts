type TokenKind = 'comment' | 'name' | 'string' | 'number' | 'keyword' | 'plain';

export interface Token {
  kind: TokenKind;
  text: string;
}

const keywords =
  'async|await|break|case|const|curl|def|defer|else|err|export|false|False|for|from|func|go|if|import|in|let|new|nil|None|null|package|print|return|true|True|try|type|var|with';

/** In this order: what is inside a string is no comment. A string before a colon is a name of JSON. */
const pattern = new RegExp(
  [
    /(?<name>"(?:[^"\\\n]|\\.)*"(?=\s*:))/,
    /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)/,
    /(?<comment>(?:^|(?<=\s))(?:#|\/\/).*)/,
    /(?<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)/,
    new RegExp(`(?<keyword>\\b(?:${keywords})\\b)`),
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);

/** The parts of a short program in any language of the snippets, or of JSON. All texts together are the code. */
export function tokenize(code: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind, text] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [];
    if (!kind || !text) continue;
    if (match.index > end) tokens.push({ kind: 'plain', text: code.slice(end, match.index) });
    tokens.push({ kind: kind as TokenKind, text });
    end = match.index + text.length;
  }
  if (end < code.length) tokens.push({ kind: 'plain', text: code.slice(end) });
  return tokens;
}
