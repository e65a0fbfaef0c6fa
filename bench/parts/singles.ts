import { type Content, compareFresh, compareWarm, type Start } from '../singles/compare.ts';
import { type Targets, tablesOf } from '../singles/tables.ts';
import type { Bench } from '../support/bench.ts';
import {
  startFastifyAjv,
  startFastifyBytes,
  startGroupCommit,
  startInsertOne,
  startNodeHttp,
} from '../support/contestants.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import { reportSchema } from '../support/report-schema.ts';
import { reports } from '../support/reports.ts';
import type { Section } from '../support/results.ts';
import { startApi, startSluice } from '../support/sluice.ts';

const onePayload: Targets = {
  rate: {
    'sluice / fastify-ajv': [],
    'sluice / fastify-group-commit': [],
    'sluice / insert-one': [{ atLeast: 5 }, { atLeast: 8 }],
    'sluice / node-http': [],
    'sluice / fastify-bytes': [],
    'sluice / sluice-before': [],
  },
  cpu: {
    'sluice / fastify-ajv': [{ atMost: 1.6 }, { atMost: 1.6 }],
    'sluice / fastify-group-commit': [],
    'sluice / fastify-bytes': [],
    'sluice / sluice-before': [],
  },
};
const manyPayloads: Targets = {
  rate: {
    'sluice / fastify-group-commit': [{ atLeast: 0.85 }, { atLeast: 0.85 }],
    'sluice / fastify-ajv': [],
    'sluice / sluice-before': [],
  },
  cpu: {
    'sluice / fastify-ajv': [{ atMost: 1.5 }, { atMost: 1.5 }],
    'fastify-group-commit / fastify-ajv': [],
    'sluice / sluice-before': [],
  },
};
const fresh: Targets = {
  rate: { 'sluice / fastify-group-commit': [], 'sluice / fastify-ajv': [], 'sluice / sluice-before': [] },
  cpu: { ...manyPayloads.cpu, 'sluice / fastify-ajv': [{ atMost: 2 }] },
};

/** Uploads, one in a request: of one payload, and of 200 in turn, also to new processes. */
export async function singles(bench: Bench): Promise<Section> {
  const schema = bench.write('schema.json', JSON.stringify(schemaOf()));
  const one: Content = { body: bench.write('payload.json', payloadOf(1_024)) };
  const usual = await compareWarm(
    bench,
    [
      { name: 'node-http', start: () => startNodeHttp(bench) },
      { name: 'fastify-bytes', start: () => startFastifyBytes(bench, schema) },
      ...fastify(bench, schema),
      ...(await sluices(bench, 'bench_singles', schemaOf())),
      { name: 'insert-one', start: () => startInsertOne(bench, schema) },
    ],
    one,
  );
  await bench.endPart();

  const wide = bench.write('report-schema.json', JSON.stringify(reportSchema()));
  const many: Content = { body: bench.write('reports.ndjson', reports().join('\n')), inLines: true };
  const starts = [...fastify(bench, wide), ...(await sluices(bench, 'bench_reports', reportSchema()))];
  const varied = await compareWarm(bench, starts, many);
  const young = await compareFresh(bench, starts, many);
  return {
    text: [
      'One payload of 1 KB:',
      tablesOf(usual, onePayload),
      '200 payloads of 0.3 to 3 KB in turn:',
      tablesOf(varied, manyPayloads),
      'The same in the first 5 s of load, on processes that are 2 s old:',
      tablesOf(young, fresh),
    ].join('\n\n'),
  };
}

const fastify = (bench: Bench, schema: string): Start[] => [
  { name: 'fastify-ajv', start: () => startFastifyAjv(bench, schema) },
  { name: 'fastify-group-commit', start: () => startGroupCommit(bench, schema) },
];

/** Sluice, and the older one, on databases that already have the application. */
async function sluices(bench: Bench, database: string, schema: object): Promise<Start[]> {
  const { before } = bench.options;
  const starts = [await sluice(bench, database, schema)];
  if (before) starts.push(await sluice(bench, `${database}_before`, schema, before));
  return starts;
}

async function sluice(bench: Bench, database: string, schema: object, checkout?: string): Promise<Start> {
  const options = { database, ...(checkout && { checkout }) };
  const { name, domain, stop } = await startSluice(bench, { ...options, schema });
  await stop();
  return { name, start: async () => (await startApi(bench, options)).uploadsOf(domain) };
}
