import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageName } from '@sluice/clients/client.ts';
import { parseExactJson } from '@sluice/json/parse-json.ts';
import { createCompiler } from '@sluice/schemas/compile/compiler.ts';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Case, cases, recursive } from './cases.ts';
import { roundTrips } from './round-trips.ts';

const numRuns = process.env.FULL === undefined ? 8 : 200;
const seed = Number(process.env.SEED ?? 32);
const all: Case[] = [recursive, ...fc.sample(cases, { numRuns, seed })];

it('makes schemas that accept their payloads', async () => {
  const compiler = createCompiler({ deadlineMs: 60_000 });
  onTestFinished(compiler.close);
  for (const { rawSchema, payload } of all) {
    const compiled = await compiler.compile(rawSchema, { isNew: true });
    if (!compiled.ok) throw new Error(compiled.problem);
    expect([rawSchema, compiled.schema.judge(parseExactJson(payload))]).toEqual([rawSchema, 'conforms']);
  }
});

describe(`clients of ${numRuns} random schemas (SEED=${seed})`, () => {
  it.each(Object.entries(roundTrips))(
    'compile in %s, and write each payload as it was',
    async (name, make) => {
      const folder = await mkdtemp(join(tmpdir(), `sluice-random-${name as LanguageName}-`));
      onTestFinished(() => rm(folder, { recursive: true }));
      const written = await make(folder, all);
      expect(written.length).toBe(all.length);
      for (const [at, { rawSchema, payload }] of all.entries())
        expect([rawSchema, parseExactJson(written[at] as string)]).toEqual([
          rawSchema,
          parseExactJson(payload),
        ]);
    },
  );
});
