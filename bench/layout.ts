import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Binary, type Collection, type Db, type Document, MongoClient, ObjectId } from 'mongodb';
import { startMongod } from './support/stores.ts';

/** Compares layouts of the entries' collection: `node bench/layout.ts [entries] [applications]`. */
const most = Number(process.argv[2] ?? 10_000_000);
const applications = Array.from({ length: Number(process.argv[3] ?? 100) }, () => new ObjectId());
const levels = [0, most / 10, most];
const perCommand = 500;
const inFlight = 2;
const measured = 200_000;

let counter = 0;
const suffix = randomBytes(4);

/** Sixteen bytes, ordered by time: milliseconds, process, counter. */
function timeOrdered(now: number): Buffer {
  const id = Buffer.allocUnsafe(16);
  id.writeUIntBE(now, 0, 6);
  suffix.copy(id, 6);
  id.writeUIntBE(counter++, 10, 6);
  return id;
}

const prefixed = (application: ObjectId, id: Buffer) => Buffer.concat([application.id, id]);
const whole = (application: ObjectId) => ({
  $gte: new Binary(prefixed(application, Buffer.alloc(16))),
  $lte: new Binary(prefixed(application, Buffer.alloc(16, 0xff))),
});

interface Layout {
  name: string;
  create(db: Db): Promise<unknown>;
  document(application: ObjectId, now: Date, payload: Document): Document;
  ofApplication(application: ObjectId): Document;
  order: Record<string, 1>;
  /** The filter for documents after this one. */
  after(document: Document): Document;
}

const byPrefix: Omit<Layout, 'name' | 'create'> = {
  document: (application, now, payload) => ({
    _id: new Binary(prefixed(application, timeOrdered(now.getTime()))),
    payload,
  }),
  ofApplication: (application) => ({ _id: whole(application) }),
  order: { _id: 1 },
  after: ({ _id }) => ({ _id: { $gt: _id, $lte: whole(new ObjectId(_id.buffer.subarray(0, 12))).$lte } }),
};

const layouts: Layout[] = [
  {
    name: 'compound index',
    create: (db) => db.collection('entries').createIndex({ application: 1, createdAt: 1, _id: 1 }),
    document: (application, createdAt, payload) => ({
      _id: new Binary(timeOrdered(createdAt.getTime())),
      application,
      createdAt,
      payload,
    }),
    ofApplication: (application) => ({ application }),
    order: { application: 1, createdAt: 1, _id: 1 },
    after: ({ application, createdAt, _id }) => ({
      application,
      createdAt: { $gte: createdAt },
      $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: _id } }],
    }),
  },
  {
    name: 'clustered',
    create: (db) => db.createCollection('entries', { clusteredIndex: { key: { _id: 1 }, unique: true } }),
    ...byPrefix,
  },
  { name: '_id alone', create: (db) => db.createCollection('entries'), ...byPrefix },
];

const words = 'alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november'.split(
  ' ',
);
const pick = () => words[Math.floor(Math.random() * words.length)];

/** About 1 KB of JSON with words, numbers and hexadecimal ids, which compresses like real data. */
const payloads = Array.from({ length: 2_000 }, () => ({
  id: randomBytes(16).toString('hex'),
  at: new Date(1.7e12 + Math.random() * 1e10).toISOString(),
  station: { name: `${pick()}-${pick()}`, lat: Math.random() * 90, lon: Math.random() * 180 },
  values: Array.from({ length: 20 }, () => Math.round(Math.random() * 1e5) / 100),
  note: Array.from({ length: 90 }, pick).join(' '),
  ok: true,
  tags: [pick(), pick(), pick()],
}));

async function insert(db: Db, layout: Layout, count: number): Promise<number> {
  const began = performance.now();
  let left = count;
  async function lane() {
    while (left > 0) {
      const size = Math.min(perCommand, left);
      left -= size;
      const now = new Date();
      const documents = Array.from({ length: size }, () =>
        layout.document(
          applications[Math.floor(Math.random() * applications.length)] as ObjectId,
          now,
          payloads[counter % payloads.length] as Document,
        ),
      );
      const { n } = await db.command({
        insert: 'entries',
        ordered: false,
        writeConcern: { w: 'majority', j: true },
        documents,
      });
      if (n !== size) throw new Error(`${n} of ${size} stored`);
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (count / (performance.now() - began)) * 1_000;
}

async function median(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] as number;
}

/** Reads an application's entries in raw pages of 1,000. Returns documents per second. */
async function scan(entries: Collection, layout: Layout, application: ObjectId): Promise<number> {
  const began = performance.now();
  let filter = layout.ofApplication(application);
  let read = 0;
  for (;;) {
    const page = await entries.find(filter).sort(layout.order).limit(1_000).toArray();
    read += page.length;
    const last = page.at(-1);
    if (!last || page.length < 1_000) return (read / (performance.now() - began)) * 1_000;
    filter = layout.after(last);
  }
}

const results: Record<string, string | number>[] = [];
const servers = await Promise.all(
  layouts.map(async (layout) => {
    const mongod = await startMongod();
    const client = new MongoClient(mongod.url);
    const db = client.db('layout');
    await layout.create(db);
    return { layout, mongod, client, db, stored: 0 };
  }),
);
try {
  for (const level of levels) {
    // Takes turns, so that a slow minute of the machine affects all of them.
    while (servers.some(({ stored }) => stored < level)) {
      for (const server of servers) {
        const more = Math.min(measured, level - server.stored);
        if (more > 0) await insert(server.db, server.layout, more);
        server.stored += more;
      }
    }
    const rates = servers.map((): number[] => []);
    for (let round = 0; round < 5; round++) {
      for (const [i, server] of servers.entries()) {
        rates[i]?.push(await insert(server.db, server.layout, measured / 5));
        server.stored += measured / 5;
      }
    }
    for (const [i, { layout, db }] of servers.entries()) {
      const entries = db.collection('entries');
      const application = applications[0] as ObjectId;
      const backwards = Object.fromEntries(Object.keys(layout.order).map((key) => [key, -1 as const]));
      const mine = layout.ofApplication(application);
      const total = await entries.countDocuments(mine);
      const [stats] = await entries.aggregate([{ $collStats: { storageStats: {} } }]).toArray();
      const { storageSize, totalIndexSize } = stats?.storageStats ?? {};
      const newest = (skip: number) => () =>
        entries.find(mine).sort(backwards).skip(skip).limit(100).toArray();
      results.push({
        stored: level,
        layout: layout.name,
        'ingest/s': Math.round(rates[i]?.sort((a, b) => a - b)[2] as number),
        'newest 100 ms': Number((await median(9, newest(0))).toFixed(2)),
        'skip 90% ms': Number((await median(5, newest(Math.floor(total * 0.9)))).toFixed(1)),
        'count ms': Number((await median(5, () => entries.countDocuments(mine))).toFixed(1)),
        'scan/s': Math.round(await scan(entries, layout, application)),
        'of one application': total,
        'data MB': Math.round(storageSize / 1e6),
        'indexes MB': Math.round(totalIndexSize / 1e6),
      });
      console.log(JSON.stringify(results.at(-1)));
    }
  }
} finally {
  await Promise.all(servers.map(({ client, mongod }) => client.close().then(mongod.stop)));
}
console.table(results);
