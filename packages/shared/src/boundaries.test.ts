import { globSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const files = globSync('{packages,services}/*/src/**/*.ts', { cwd: root })
  // The console runs in browsers.
  .filter((file) => !/\.(test|testing|d)\.ts$|^services.console\b/.test(file))
  .map((file) => ({ file: file.split(sep).join('/'), text: readFileSync(join(root, file), 'utf8') }));

const having = (pattern: RegExp) => files.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

describe('in the services', () => {
  it.each([
    [
      'only store/ and the records of jobs import the driver of MongoDB',
      /from 'mongodb(\/.*)?'/,
      /^packages\/(store\/src|jobs\/src\/record)\//,
    ],
    ['only the queue of jobs imports BullMQ', /from 'bullmq'/, /^packages\/jobs\/src\/queue\//],
    [
      'only config/ reads the environment',
      /process\.env\b|from 'envalid'/,
      /^packages\/shared\/src\/config\//,
    ],
  ])('%s', (_what, pattern, room) => {
    const found = having(pattern);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((file) => !room.test(file))).toEqual([]);
  });

  it('packages import in one direction', () => {
    const order = [
      'shared',
      'threads',
      'json',
      'objects',
      'bson',
      'schemas',
      'clients',
      'tables',
      'store',
      'jobs',
      'intake',
    ];
    const against = files.filter(({ file, text }) => {
      const own = order.indexOf(file.split('/')[1] as string);
      const imported = Array.from(text.matchAll(/'@sluice\/([\w-]+)\//g), ([, name]) => name as string);
      return file.startsWith('packages/') && imported.some((name) => !order.slice(0, own).includes(name));
    });
    expect(against.map(({ file }) => file)).toEqual([]);
  });

  it('features of the API import from rooms below them, and hardly from each other', () => {
    const api = 'services/api/src/';
    const below = ['http', 'jobs', 'known', 'limits', 'metrics'];
    const featureOf = (file: string) => {
      const [room = '', inside] = file.startsWith(api) ? file.slice(api.length).split('/') : [];
      return inside && !below.includes(room) ? room : undefined;
    };
    const between = files.flatMap(({ file, text }) => {
      const own = featureOf(file);
      const imported = Array.from(text.matchAll(/from '(\.[^']+)'/g), ([, path = '']) =>
        posix.join(posix.dirname(file), path),
      );
      return imported
        .filter((other) => own && featureOf(other) && featureOf(other) !== own)
        .map((other) => `${file} -> ${other}`);
    });
    expect(between.length, between.join('\n')).toBeLessThanOrEqual(5);
  });

  it('an exported type has a name of its own', () => {
    const named = globSync('{packages,services}/*/src/**/*.{ts,tsx}', { cwd: root })
      .filter((file) => !/\.(test|testing|d)\.tsx?$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(root, file), 'utf8');
        return Array.from(text.matchAll(/^export (?:type|interface|class) (\w+)/gm), ([, name]) => ({
          name,
          file,
        }));
      });
    const twice = Object.values(Object.groupBy(named, ({ name }) => String(name))).filter(
      (all) => all && all.length > 1,
    );
    expect(twice).toEqual([]);
  });

  it('what lies in shared is used by more than one', () => {
    const inPackage = (file: string) => file.split('/').slice(0, 2).join('/');
    const lonely = files.filter(({ file }) => {
      const [, path] = file.match(/^packages\/shared\/src\/(.*)/) ?? [];
      if (!path) return false;
      const within = new RegExp(`'\\.[./\\w-]*${path.split('/').at(-1)}'`);
      const isInner = files.some(
        ({ file: user, text }) => inPackage(user) === 'packages/shared' && within.test(text),
      );
      const users = having(new RegExp(`'@sluice/shared/${path}'`)).map(inPackage);
      return !isInner && new Set(users).size < 2;
    });
    expect(lonely.map(({ file }) => file)).toEqual([]);
  });

  it('nothing that others send is parsed by JSON.parse alone, which takes keys for others', () => {
    const room = [
      // It says why.
      'packages/json/src/parse-json.ts',
      // `writeBson` tells it whether keys have escapes.
      'packages/bson/src/read-payload.ts',
      // DuckDB wrote it.
      'services/query-worker/src/duck/answer.ts',
    ];
    expect(having(/JSON\.parse\(/).toSorted()).toEqual(room.toSorted());
  });

  it.each([
    ['the events of a queue, which can be lost: the state of a job is in MongoDB', /QueueEvents/],
    ['whether a worker says that it runs: it counts what it does', /\.isRunning\(/],
    ['a cursor kept open beyond the half hour of its session', /noCursorTimeout|withoutTimeout/],
  ])('nothing relies on %s', (_what, pattern) => {
    expect(having(pattern)).toEqual([]);
  });
});
