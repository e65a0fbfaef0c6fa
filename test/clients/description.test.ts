import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { sharedSluice } from '../support/sluice.ts';
import { readDescription } from './description.ts';

const redocly = join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js');

const sluice = await sharedSluice();
const description = await readDescription(sluice);

it('has no errors and no warnings of Redocly', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-description-'));
  try {
    await writeFile(join(dir, 'openapi.json'), description.text);
    const args = [redocly, 'lint', 'openapi.json', '--format=json', '--max-problems=1000'];
    // The next test says which have none.
    args.push('--skip-rule=operation-2xx-response');
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    // It fails when there are errors, and prints them all the same.
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: dir, env }).catch(
      (error) => error,
    );
    const { totals, problems } = JSON.parse(stdout);
    expect({ problems, ...totals }).toEqual({ problems: [], errors: 0, warnings: 0, ignored: 0 });
  } finally {
    await rm(dir, { recursive: true });
  }
});

it('tells the success of each operation, or that it leads a browser on', () => {
  const leading = description.operations.filter(
    ({ responses }) => !Object.keys(responses).some((status) => status.startsWith('2')),
  );
  expect(leading.map(({ operationId }) => operationId)).toEqual(['beginSignIn', 'endSignIn']);
  for (const { responses } of leading) expect(responses).toHaveProperty('303');
});

it('gives each operation a name of its own, a summary, a tag, and says whether it needs a token', () => {
  const names = description.operations.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const { operationId, summary, tags, security } of description.operations) {
    expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    expect([operationId, summary]).toEqual([operationId, expect.stringMatching(/^[A-Z][^.;]+$/)]);
    expect([operationId, tags?.length, Array.isArray(security)]).toEqual([operationId, 1, true]);
  }
});

it('gives each schema a name of words', () => {
  expect(description.schemas.length).toBeGreaterThan(100);
  for (const name of description.schemas) expect(name).toMatch(/^([A-Z][a-z]+)+$/);
});

it('declares each tag that is used, and uses each that is declared', () => {
  const used = new Set(description.operations.flatMap(({ tags = [] }) => tags));
  expect(description.tags.toSorted()).toEqual([...used].sort());
});

it('names what PUT and PATCH do once', () => {
  const [puts, patches] = ['put', 'patch'].map((method) =>
    description.operations.filter((operation) => operation.method === method).map(({ path }) => path),
  );
  expect(puts?.filter((path) => patches?.includes(path))).toEqual([]);
});

it('describes the parameters of a path, and has them first', () => {
  for (const { path, parameters = [] } of description.operations) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.slice(0, names.length).map(({ name }) => name)).toEqual(names);
    for (const parameter of parameters) expect(parameter.description).toMatch(/\w/);
  }
});

it('has an example for each request and each success in JSON', () => {
  const bodies = description.operations.flatMap(({ operationId, requestBody, responses }) => [
    ...Object.entries(requestBody?.content ?? {}).map(([type, media]) => ({ operationId, type, media })),
    ...Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content = {} }]) =>
        Object.entries(content)
          .filter(([type]) => type === 'application/json')
          .map(([type, media]) => ({ operationId, type, media })),
      ),
  ]);
  expect(bodies.length).toBeGreaterThan(30);
  expect(bodies.filter(({ media }) => media.example === undefined)).toEqual([]);
});

it('needs no body where none is described, whatever Content-Type says', async () => {
  const { token } = await sluice.owner();
  const withoutBody = description.operations.filter(
    ({ method, requestBody }) => !requestBody && !['get', 'head'].includes(method),
  );
  expect(withoutBody.length).toBeGreaterThan(20);
  const contents: [string, () => RequestInit][] = [
    ['application/json', () => ({})],
    ['text/plain', () => ({})],
    // Sent in chunks, as its length is not known.
    ['application/json', () => ({ body: new Blob([]).stream(), duplex: 'half' }) as RequestInit],
  ];
  for (const { method, path, operationId } of withoutBody) {
    const url = `${sluice.url}${path.replaceAll(/\{\w+\}/g, 'none')}`;
    const answerTo = async (init: RequestInit, headers = {}) => {
      const authorization = `Bearer ${token}`;
      const response = await fetch(url, {
        ...init,
        method: method.toUpperCase(),
        headers: { authorization, ...headers },
      });
      const { error } = (await response.json()) as { error?: { name: string } };
      return [operationId, response.status, error?.name];
    };
    const plain = await answerTo({});
    for (const [type, content] of contents)
      expect(await answerTo(content(), { 'content-type': type })).toEqual(plain);
  }
});
