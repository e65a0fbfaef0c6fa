import { setTimeout as pause } from 'node:timers/promises';
import type { NewEntry } from '@sluice/store/entries/entries.ts';
import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { createKeysAt, fromKey, lowestId, toKey } from '@sluice/store/entries/entry-id.ts';
import { horizonStore } from '@sluice/store/entries/horizon.ts';
import type { MilestoneDocument } from '@sluice/store/entries/milestone-document.ts';
import { milestoneStore } from '@sluice/store/entries/milestones.ts';
import { createWriter, type Writer } from '@sluice/store/entries/writer.ts';
import { isSnapshotLost, storeFault } from '@sluice/store/faults.ts';
import { MongoClient, ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../support/own-database.ts';
import { payloadOf } from '../support/payload-of.ts';
import { removeSilent } from '../support/remove-silent.ts';
import { startReplicaSet } from '../support/replica-set.ts';
import { until } from '../support/sluice.ts';

const elections = Number(process.env.ELECTIONS ?? 3);
const storedBefore = 200;
const spacing = 3;

it(
  'nothing comes below a milestone or below the cursor of a sync, and cuts have all that was acknowledged, while primaries are killed',
  async () => {
    const set = await startReplicaSet();
    const url = set.urlOf('elections');
    const [one, other] = [openStore(url, 10_000), openStore(url, 10_000)];
    await one.prepare();
    removeSilent(url);
    const client = new MongoClient(url, {
      readConcern: { level: 'majority' },
      writeConcern: { w: 'majority', journal: true },
    });
    onTestFinished(() => client.close());
    // Before the first snapshot, the driver must know the servers.
    await client.connect();
    const db = client.db();
    const documents = db.collection<EntryDocument>('entries');
    const milestones = milestoneStore(db, spacing);
    const newKey = createKeysAt();
    const writers = [createWriter(horizonStore(db)), createWriter(horizonStore(db))];
    onTestFinished(async () => void (await Promise.all(writers.map(({ close }) => close()))));
    const application = new ObjectId().toHexString();
    const acknowledged = new Set<string>();
    const read: string[] = [];
    let after: string | undefined;
    let areStored = false;
    let isOver = false;

    /** What fails because there is no primary is done again. */
    async function keepDoing(step: () => Promise<unknown>, isEnough: () => boolean): Promise<void> {
      while (!isEnough()) {
        const hasMore = await step().catch((error) => {
          if (!storeFault(error) && !isSnapshotLost(error)) throw error;
        });
        // The uploads need the processors. Once all entries are stored, a follower that has read on asks once a second.
        await pause(areStored && hasMore !== true ? 1_000 : 5);
      }
    }
    async function upload({ entries }: typeof one): Promise<void> {
      const entry: NewEntry = { application, ...payloadOf({ n: acknowledged.size }) };
      const [outcome] = await entries.insert([entry]);
      if (outcome === 'stored' && entry.key) acknowledged.add(fromKey(entry.key).id);
    }
    async function uploadSlowly(writer: Writer): Promise<void> {
      const _id = await writer.write(async (now) => {
        const key = newKey(Buffer.from(application, 'hex'), now());
        await pause(Math.random() * 200);
        await documents.insertOne({ _id: key, payload: {} });
        return key;
      });
      acknowledged.add(fromKey(_id).id);
    }
    async function follow(): Promise<boolean> {
      const page = await one.entries.forward(application, { start: 0, limit: 7, after });
      read.push(...page.entries.map(({ id }) => id));
      const hasMore = page.entries.length === 7;
      after = hasMore ? read.at(-1) : page.end;
      return hasMore;
    }

    let cutsTaken = 0;
    async function cut(): Promise<void> {
      // Each is a write that milestones wait for.
      await pause(100);
      const before = [...acknowledged];
      const newest = (await other.rawEntries.cut(application)).until;
      expect(before.filter((id) => !newest || id > newest)).toEqual([]);
      cutsTaken += 1;
    }

    const setMilestones = () => milestones.set(application, Number.POSITIVE_INFINITY, 40);
    const uploads = [
      ...[one, other].map((store) => () => upload(store)),
      ...[...writers, ...writers].map((writer) => () => uploadSlowly(writer)),
    ];
    const uploading = uploads.map((step) => keepDoing(step, () => areStored));
    const reading = [follow, cut, setMilestones, setMilestones].map((step) => keepDoing(step, () => isOver));
    for (let n = 0; n < elections; n++) {
      const before = acknowledged.size;
      await until(async () => acknowledged.size >= before + storedBefore, 120_000);
      await set.killPrimary();
    }
    areStored = true;
    await Promise.all(uploading);
    // An insert whose outcome is unknown holds both back for a minute.
    await until(async () => new Set(read).isSupersetOf(acknowledged), 200_000).finally(() => {
      isOver = true;
    });
    await Promise.all(reading);

    expect(read).toEqual([...new Set(read)].toSorted());
    const stored = await documents.find({}, { sort: { _id: 1 }, projection: { _id: 1 } }).toArray();
    const ids = stored.map(({ _id }) => fromKey(_id).id);
    expect(read).toEqual(ids.slice(0, read.length));
    let milestonesSet = 0;
    for await (const { _id, rank } of db.collection<MilestoneDocument>('milestones').find()) {
      const below = { _id: { $gte: toKey(application, lowestId), $lte: _id } };
      expect(await documents.countDocuments(below)).toBe(rank);
      milestonesSet += 1;
    }
    expect(milestonesSet).toBeGreaterThan(elections * 10);
    expect(cutsTaken).toBeGreaterThan(elections * 10);
  },
  300_000 + elections * 60_000,
);
