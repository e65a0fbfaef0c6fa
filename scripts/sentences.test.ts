import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { longComments, longSentences, mostWordsInComment, sentencesOf } from './sentences.ts';

const root = join(import.meta.dirname, '..');
const pages = (
  await Array.fromAsync(glob(['*.md', 'docs/*.md', '{bench,examples}/README.md'], { cwd: root }))
).sort();
const decisions = (await Array.fromAsync(glob('docs/decisions/*.md', { cwd: root }))).sort();
const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) =>
      /\.(tsx?|[cm]?js|sh|ya?ml)$|(^|\/)(Dockerfile[^/]*|\.ci\/run)$/.test(file) &&
      existsSync(join(root, file)),
  );
const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');

describe('the pages', () => {
  it('are found', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'SECURITY.md', 'docs/operations.md']));
  });

  it.each(pages)('%s has no sentence of more than 30 words', (page) => {
    expect(longSentences(page, readFileSync(join(root, page), 'utf8'))).toEqual([]);
  });
});

describe('the decisions', () => {
  it.each(decisions)('%s has no sentence of more than 25 words', (decision) => {
    const text = readFileSync(join(root, decision), 'utf8');
    expect(longSentences(decision, text, mostWordsInComment)).toEqual([]);
  });
});

describe('the sources', () => {
  it('are found', () => {
    const some = ['.ci/run', 'Dockerfile', 'docker-compose.yml', 'deploy/update.sh', 'local/setup.cjs'];
    expect(sources).toEqual(expect.arrayContaining(some));
  });

  it('have comments of at most two lines, whose sentences have at most 25 words', () => {
    const long = sources.flatMap((file) => longComments(file, readFileSync(join(root, file), 'utf8')));
    expect(long).toEqual([]);
  });
});

describe('a comment', () => {
  it.each([
    ['a long sentence', `const a = 1;\n// ${words(15)}\n// ${words(15)}\n`, ['2: 30 words: ']],
    ['three lines', '/**\n * One.\n * Two.\n * Three. */\n', ['2: a comment of 3 lines']],
  ])('with %s is found', (_what, source, problems) => {
    expect(longComments('a.ts', source)).toEqual(
      problems.map((problem) => expect.stringContaining(`a.ts:${problem}`)),
    );
  });

  it.each([
    ['a reason after a blank line', '/**\n * One.\n * Two.\n *\n * Three.\n */\n'],
    ['comments of different places', `// ${words(20)}\nconst a = 1;\n// ${words(20)}\n`],
    ['code', `const a = '${words(40)}';\n`],
    ['a directive', `// biome-ignore lint: ${words(40)}\n`],
  ])('is not too long for %s', (_what, source) => {
    expect(longComments('a.ts', source)).toEqual([]);
  });
});

describe('a sentence', () => {
  it.each([
    ['over several lines', `# Title\n\nShort one.\nThen ${words(15)}\n${words(15)}. Short.`, 4],
    ['of a list', `- short\n- ${words(31)}`, 2],
    ['of a cell', `| a | b |\n| --- | --- |\n| ${words(31)} | short |`, 3],
    ['after a block of code', `\`\`\`sh\n${words(40)}\n\`\`\`\n\n${words(31)}`, 5],
  ])('%s is found with its line', (_where, page, line) => {
    expect(longSentences('a.md', page)).toEqual([expect.stringContaining(`a.md:${line}: 31 words: `)]);
  });

  it.each([
    ['a block of code', `Text:\n\n\`\`\`sh\n${words(40)}\n\`\`\``],
    ['cells side by side', `| ${words(20)} | ${words(20)} |`],
    ['items of a list', `- ${words(20)}\n- ${words(20)}`],
    ['a heading before a text', `# ${words(20)}\n${words(20)}`],
    ['a list of names', `It takes ${Array.from({ length: 40 }, () => '`name`').join(', ')}.`],
  ])('does not go beyond %s', (_what, page) => {
    expect(longSentences('a.md', page)).toEqual([]);
  });

  it('ends at a stop before a space, not within a number or a name', () => {
    const texts = sentencesOf('See 1.10 and a.md. Then (more.) And [this](docs/x.md)!').map(
      ({ text }) => text,
    );
    expect(texts).toEqual(['See 1.10 and a.md.', 'Then (more.)', 'And [this]!']);
  });
});
