import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createExpireEntries } from '@sluice/ingest-worker/deletion/expire-entries.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import type { ArchiveFormat } from '@sluice/store/archives/archive-records.ts';
import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { idOfKey } from '@sluice/store/entries/entry-id.ts';
import { range } from '@sluice/store/entries/entry-range.ts';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { ownFolder } from '../support/archive-runs.ts';
import { manifestsIn, readLake } from '../support/lake.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { calmName } from '../support/rough-archives.ts';
import { runs } from '../support/runs.ts';
import { startSluice, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** Of each run; the long run is FUZZ_RUNS=20. */
const steps = Number(process.env.STEPS ?? 25);
const formats: ArchiveFormat[] = ['ndjson', 'parquet'];
const dayMs = 86_400_000;
const log = createLogger('test', { level: 'silent', pretty: false });

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ what: fc.constant('upload' as const), count: fc.integer({ min: 1, max: 400 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('import' as const),
      count: fc.integer({ min: 1, max: 300 }),
      /** How old the oldest is, and how far they lie apart, in ms. */
      backMs: fc.integer({ min: 1, max: 3 * dayMs }),
      apartMs: fc.constantFrom(0, 1, 1_000, dayMs / 100),
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('delete' as const), place: fc.nat(9_999) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('deleteSome' as const), group: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.constant({ what: 'publish' as const }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('run' as const) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('retain' as const) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('kill' as const), worker: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.nat(1_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function start() {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const store = openStore(MONGODB_URL);
  const root = ownFolder();
  const sluice = await startSluice({
    workers: false,
    env: { MONGODB_URL, ENTRY_QUOTA: 'off', JOB_QUOTA: '100000', IMPORT_QUOTA: '100000' },
  });
  onTestFinished(() => sluice.stop());
  const { token } = await sluice.owner();
  const env = { ...sluice.env, ROUGH_FOLDER: root, ROUGH_FILES: '20000', ROUGH_FAULTS: '0.1' };
  const exporting = [env, env].map((each) => createWorkerProcess('export-worker', each));
  // Lines of imports are stored again when it dies, also those that were deleted since.
  const workers = [...exporting, createWorkerProcess('ingest-worker', sluice.env)];
  await Promise.all(workers.map((worker) => worker.start()));
  const expire = createExpireEntries({ store, auditRetentionMs: dayMs, log });
  return { db, store, root, sluice, token, workers, expire };
}

it('a lake has each entry once, whatever is uploaded, imported, deleted, published and killed in any order', async () => {
  const { db, store, root, sluice, token, workers, expire } = await start();

  const property = fc.asyncProperty(
    fc.array(step, { minLength: steps, maxLength: steps }),
    async (all: Step[]) => {
      rmSync(join(root, calmName), { force: true });
      let made = 0;
      let fields = 0;
      const schema = (more: number) => ({
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: more }, (_, n) => [`f${n}`, { type: 'integer' }]),
        ),
      });
      const domain = await sluice.application(token, schema(1));
      const { id: application } = (await store.applications.byDomain(domain)) as { id: string };
      const send = async (method: string, at: string, json?: unknown) =>
        sluice.request(method, `/applications/${domain}${at}`, { token, json });
      const lines = (at: string, texts: unknown[]) =>
        sluice.request('POST', `/applications/${domain}${at}`, {
          token,
          body: texts.map((text) => `${JSON.stringify(text)}\n`).join(''),
          headers: { 'content-type': 'application/x-ndjson' },
        });
      const archives = await Promise.all(
        formats.map((format) =>
          store.archives.create(
            application,
            {
              to: { kind: 'folder' },
              format,
              every: '1d',
              from: 'beginning',
              covers: { announced: 0 },
              createdBy: 'b',
            },
            3,
          ),
        ),
      );
      /** Undeclared members are recorded as fields when they come. */
      const payload = () => {
        const n = made++;
        return {
          n,
          group: n % 10,
          text: 'x'.repeat(n % 90),
          [`f${n % (fields + 1)}`]: n,
          ...(n % 7 === 0 && { [`u${n % 5}`]: [n, 'a'] }),
        };
      };
      const jobs: string[] = [];
      const hurry = () =>
        Promise.all(archives.map((archive) => store.archives.hurry(application, archive?.id as string)));

      const take: { [What in Step['what']]: (step: Extract<Step, { what: What }>) => Promise<unknown> } = {
        async upload({ count }) {
          const { status, text } = await lines('/data/batch', Array.from({ length: count }, payload));
          expect(status, text).toBe(201);
        },
        async import({ count, backMs, apartMs }) {
          const since = Date.now() - backMs;
          const entries = Array.from({ length: count }, (_, n) => ({
            id: '0'.repeat(28),
            createdAt: new Date(Math.min(since + n * apartMs, Date.now() - 1)).toISOString(),
            payload: payload(),
          }));
          const { status, text, body } = await lines('/imports?entries=wrapped', entries);
          expect(status, text).toBe(202);
          jobs.push(`/imports/${body.data.id}`);
        },
        async delete({ place }) {
          const { body } = await send('GET', '/data?limit=100&order=oldest');
          const found = body.data.result as { id: string }[];
          const one = found[place % Math.max(1, found.length)];
          if (one) await send('DELETE', `/data/${one.id}`);
        },
        async deleteSome({ group }) {
          const { status, text, body } = await send('POST', '/deletions', { filter: { group } });
          expect(status, text).toBe(202);
          jobs.push(`/deletions/${body.data.id}`);
        },
        async publish() {
          fields += 1;
          expect((await send('POST', '/schemas', { schema: schema(fields + 1) })).status).toBe(200);
        },
        run: hurry,
        /** Entries of imports move into the archive of NDJSON. */
        async retain() {
          const archive = archives[formats.indexOf('ndjson')]?.id;
          const { status, text } = await send('PATCH', '', { retention_days: 1, archive });
          expect(status, text).toBe(200);
          await expire(new AbortController().signal);
        },
        async kill({ worker: at }) {
          const worker = workers[at];
          worker?.kill();
          await worker?.gone();
          await worker?.start();
        },
        wait: ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms)),
      };

      for (const one of all) await take[one.what](one as never);
      // MongoDB ends the transaction of a killed worker after a minute.
      for (const job of jobs)
        await until(
          async () => !['waiting', 'active'].includes((await send('GET', job)).body.data.state),
          180_000,
        );
      // The runs under way end, and one more has the rest.
      writeFileSync(join(root, calmName), '');
      const { announced } = await store.rawEntries.cut(application);
      await until(async () => {
        await hurry();
        const now = await store.archives.list(application);
        return now.every(({ covers }) => covers.announced > announced);
      }, 180_000);

      const found = db.collection<EntryDocument>('entries').find(range(application, {})).sort({ _id: 1 });
      const stored = (await found.project<EntryDocument>({ _id: 1 }).toArray()).map(({ _id }) =>
        idOfKey(_id),
      );
      const { status, text } = await send('GET', '/export?format=ndjson');
      expect(status, text).toBe(200);
      const exported = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).id);
      for (const format of formats) {
        const folder = join(root, format, domain);
        const ids = (await readLake(folder)).map(({ id }) => id);
        expect(ids).toEqual(exported);
        const { until = '' } = (await store.applications.archived(application)) ?? {};
        const behind = (id: string) => id > until;
        expect(ids.filter(behind)).toEqual(stored.filter(behind));
        expect(new Set(stored).difference(new Set(ids))).toEqual(new Set());
        const named = manifestsIn(folder).flatMap(({ files }) => files);
        const record = (await store.archives.list(application)).find((each) => each.format === format);
        expect(record?.entries).toBe(named.reduce((sum, { entries }) => sum + entries, 0));
      }
    },
  );
  await fc.assert(property, { ...runs(3, 6), endOnFailure: true });
  const failed = workers.flatMap(({ lines }) => lines.filter(({ event }) => event === 'archive.failed'));
  const moves = await db.collection('audit').find({ action: 'entries.archived' }).toArray();
  const moved = moves.reduce((sum, { details }) => sum + details.count, 0);
  console.log(`${failed.length} runs failed and were tried again, ${moved} entries moved`);
}, 7_200_000);
