import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseExactJson } from '@sluice/json/parse-json.ts';
import { checkShape } from '@sluice/schemas/check/check.ts';
import { checkAndLink } from '@sluice/schemas/check/check-and-link.ts';
import { checkWalk } from '@sluice/schemas/check/check-walk.ts';
import { type Draft, draftOf, drafts, metaSchemaUris } from '@sluice/schemas/draft.ts';
import { judgeFully } from '@sluice/schemas/judge/judge.ts';
import { rulesOf } from '@sluice/schemas/judge/rules-of.ts';
import { describe, expect, it } from 'vitest';

interface Group {
  file: string;
  description: string;
  schema: Record<string, unknown> | boolean;
  tests: { description: string; data: unknown; valid: boolean }[];
}

interface Exception {
  /** What docs/schemas.md says of it. */
  why: string;
  drafts: Draft[];
  files: string[];
  /** The schema is refused with this message, or each of these tests ends otherwise than the suite says. */
  refused?: RegExp;
  differs?: RegExp;
}

const all = [...drafts];
const exceptions: Exception[] = [
  { why: 'other documents', drafts: all, files: ['refRemote'], refused: /leads outside the schema/ },
  {
    why: 'other documents',
    drafts: ['2020-12'],
    files: ['dynamicRef'],
    refused: /leads outside the schema/,
  },
  { why: 'the key __proto__', drafts: all, files: ['properties'], refused: /name __proto__/ },
  { why: 'other drafts', drafts: ['2019-09', '2020-12'], files: ['vocabulary'], refused: /unknown \$schema/ },
  {
    why: 'formats are checked',
    drafts: ['2020-12'],
    files: ['format'],
    differs: /only an annotation by default/,
  },
  {
    why: 'other documents',
    drafts: ['07', '2019-09', '2020-12'],
    files: ['optional/cross-draft'],
    refused: /leads outside the schema/,
  },
  {
    why: 'other drafts',
    drafts: ['2020-12'],
    files: ['optional/format-assertion'],
    refused: /unknown \$schema/,
  },
  {
    why: 'content… refuses nothing',
    drafts: ['07'],
    files: ['optional/content'],
    differs: /invalid/,
  },
  {
    why: '1.0 is an integer in every draft',
    drafts: ['04'],
    files: ['optional/zeroTerminatedFloats'],
    differs: /a float is not an integer/,
  },
  {
    why: 'formats that are not checked',
    drafts: ['07', '2019-09', '2020-12'],
    files: ['idn-email', 'idn-hostname', 'iri', 'iri-reference'].map((name) => `optional/format/${name}`),
    differs: /./,
  },
];

/** The folder of the suite: https://github.com/json-schema-org/JSON-Schema-Test-Suite */
const suite = process.env.JSON_SCHEMA_SUITE;
if (!suite) throw new Error('JSON_SCHEMA_SUITE names the folder of the official suite: see CONTRIBUTING.md');

/** The required and the optional tests of a draft. */
function read(draft: Draft): Group[] {
  const folder = join(suite as string, 'tests', `draft${draft.replace(/^0/, '')}`);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) =>
      (parseExactJson(readFileSync(join(folder, name), 'utf8')) as Omit<Group, 'file'>[]).map((group) => ({
        ...group,
        file: name.replace('.json', '').replaceAll(sep, '/'),
      })),
    );
}

type Passes = (payload: unknown) => boolean;

/**
 * As the compiler does, but for the rule that the root is an object: the suite's schemas have any root.
 */
function compile(schema: Group['schema'], draft: Draft): Passes {
  const root = typeof schema === 'boolean' ? { allOf: [schema] } : schema;
  const whole = { $schema: metaSchemaUris[draft], ...root };
  checkShape(whole);
  if (draftOf(whole.$schema) !== draft) throw new Error('unknown $schema');
  const checked = { schema: whole, draft, walk: checkWalk(whole, draft) };
  const rules = rulesOf(checkAndLink(checked));
  return (payload) => judgeFully(rules, payload) === 'conforms';
}

function run(draft: Draft) {
  const used = new Set<Exception>();
  const wrong: string[] = [];
  const counts = { passed: 0, excepted: 0 };
  const own = exceptions.filter((exception) => exception.drafts.includes(draft));
  const excepted = (tests: number, file: string, by: (exception: Exception) => boolean | undefined) => {
    const found = own.find((exception) => exception.files.includes(file) && by(exception));
    if (found) used.add(found);
    if (found) counts.excepted += tests;
    return found !== undefined;
  };
  for (const { file, description, schema, tests } of read(draft)) {
    let passes: Passes;
    try {
      passes = compile(schema, draft);
    } catch (error) {
      const { message } = error as Error;
      if (!excepted(tests.length, file, ({ refused }) => refused?.test(message)))
        wrong.push(`${file}: ${description}: ${message}`);
      continue;
    }
    for (const test of tests) {
      if (passes(test.data) === test.valid) counts.passed += 1;
      else if (!excepted(1, file, ({ differs }) => differs?.test(test.description)))
        wrong.push(`${file}: ${description}: ${test.description}: not ${test.valid}`);
    }
  }
  return { wrong, counts, unused: own.filter((exception) => !used.has(exception)) };
}

/** Tests, not schemas, of the suite that jsonschema 4.26.0 on PyPI has in its source: so that none is left out unseen. */
const expected: Record<Draft, { passed: number; excepted: number }> = {
  '04': { passed: 838, excepted: 25 },
  '06': { passed: 1_119, excepted: 30 },
  '07': { passed: 1_387, excepted: 78 },
  '2019-09': { passed: 1_776, excepted: 88 },
  '2020-12': { passed: 1_788, excepted: 118 },
};

describe('the official tests of JSON Schema', () => {
  it.each(drafts)('pass for draft %s, but for what is refused or done otherwise on purpose', (draft) => {
    const { wrong, unused, counts } = run(draft);
    expect(wrong).toEqual([]);
    expect(unused).toEqual([]);
    expect(counts).toEqual(expected[draft]);
  });
});
