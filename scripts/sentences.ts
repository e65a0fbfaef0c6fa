/** Words in a sentence of a page. */
export const mostWords = 30;
/** Words in a sentence of a comment or of a decision. */
export const mostWordsInComment = 25;
/** Lines of text in a comment, unless a blank line sets its reason apart. */
export const mostCommentLines = 2;

export interface Sentence {
  line: number;
  text: string;
  words: number;
}

const blank = (text: string) => text.replace(/[^\n]/g, '');
/** Replaces a link by its text, and code, or a list of it, by one word. Line ends stay, for line numbers. */
const spokenText = (markdown: string) =>
  markdown
    .replace(/^( *)```[\s\S]*?^\1```$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/\]\([^()\s]+\)/g, ']')
    .replace(/`[^`]*`(?:,?\s+(?:(?:and|or)\s+)?`[^`]*`)*/g, (code) => `code${blank(code)}`);

/** Paragraphs, items of lists, headings and cells of tables, each with its first line. */
function blocksOf(text: string) {
  const blocks: { line: number; text: string }[] = [];
  let isOpen = false;
  text.split('\n').forEach((content, at) => {
    const line = at + 1;
    if (/^\s*\|/.test(content)) blocks.push(...content.split('|').map((cell) => ({ line, text: cell })));
    else if (isOpen && !/^\s*(?:[-*]|\d+\.|#+)\s|^\s*$/.test(content)) {
      const last = blocks.at(-1);
      if (last) last.text += `\n${content}`;
      return;
    } else blocks.push({ line, text: content.replace(/^\s*(?:[-*]|\d+\.|#+)\s/, '') });
    isOpen = content.trim() !== '' && !/^\s*[|#]/.test(content);
  });
  return blocks;
}

/** All sentences of a page, with their lines. */
export function sentencesOf(markdown: string): Sentence[] {
  return blocksOf(spokenText(markdown)).flatMap((block) => {
    let line = block.line;
    return block.text.split(/(?<=[.!?]["')*_\]]*)(?=\s)/).map((part) => {
      const start = line + (/^\s*/.exec(part)?.[0].split('\n').length ?? 1) - 1;
      line += part.split('\n').length - 1;
      const words = part.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
      return { line: start, text: part.trim().replace(/\s+/g, ' '), words: words.length };
    });
  });
}

/** Long sentences, as `file:line: sentence`. */
export const longSentences = (file: string, markdown: string, most = mostWords): string[] =>
  sentencesOf(markdown)
    .filter(({ words }) => words > most)
    .map(({ line, text, words }) => `${file}:${line}: ${words} words: ${text}`);

const directive = /^(?:biome-ignore|@ts-|<reference|!)/;
const commentLine = {
  '//': /^\s*(?:\/\/|\/?\*\*?(?!\/))\s?(.*?)(?:\s*\*\/)?$/,
  '#': /^\s*#\s?(.*)$/,
};

/** Finds long sentences and too many lines in comments that have lines of their own, as `file:line: problem`. */
export function longComments(file: string, source: string): string[] {
  const pattern = commentLine[/\.(tsx?|[cm]?js)$/.test(file) ? '//' : '#'];
  // Code becomes blank lines, which end comments and keep the line numbers.
  const texts = source.split('\n').map((line) => {
    const text = pattern.exec(line)?.[1]?.trimEnd() ?? '';
    return directive.test(text) ? '' : text;
  });
  const tooLong: string[] = [];
  let lines = 0;
  [...texts, ''].forEach((text, at) => {
    if (text === '' && lines > mostCommentLines)
      tooLong.push(`${file}:${at - lines + 1}: a comment of ${lines} lines`);
    lines = text === '' ? 0 : lines + 1;
  });
  return [...longSentences(file, texts.join('\n'), mostWordsInComment), ...tooLong];
}
