import type { Store } from '@sluice/jobs/connect.ts';
import { JobFailed } from '@sluice/jobs/kind.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { objectNameOf } from '@sluice/jobs/record/file-name.ts';
import type { Part } from '@sluice/jobs/record/job.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { sha256Of, whole } from '@sluice/objects/pieces.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { isThere } from '../archive/create-object.ts';
import type { FileHash, FileSink } from './commits.ts';
import { pack, unpackPart } from './packed-parts.ts';

/** S3 takes 10,000 parts, and some of its relatives only parts of one size: so they grow late, for files of 31 to 220 GB. */
const sizeOf = (number: number) => (number <= 4_000 ? 8 : 32) * 1024 ** 2;
const maxParts = 10_000;
/** Another worker goes on after the last of so many parts. */
const partsBetweenSaves = 8;

interface Options {
  store: Pick<Store, 'jobs' | 'parts'>;
  objects: ObjectStore;
  job: ExportJob;
  /** What was saved; the last has the bytes behind the last part of the object. */
  written: Part[];
  hash: FileHash;
  checkLease(): void;
}

/** Sends a file to another place as one object. Nothing of it is kept here but where the next worker goes on. */
export async function createUpload({
  store: { jobs, parts },
  objects,
  job,
  written,
  hash,
  checkLease,
}: Options): Promise<FileSink> {
  const name = objectNameOf(job);
  let { bytes, firstCreatedAt, lastCreatedAt, position } = job;
  // Of a worker that died before it saved anything, or of a failed attempt.
  if (job.upload && written.length === 0) await objects.inParts.abandon(name, job.upload.id);
  const saved = written.at(-1);
  let upload = saved && job.upload?.id;
  const tags = (saved && job.upload?.tags) ?? [];
  let rest = saved && (await unpackPart({ parts }, saved.id));
  /** The part that is filled, and how much of it is. */
  let part = Buffer.allocUnsafeSlow(sizeOf(tags.length + 1));
  let filled = rest ? rest.copy(part) : 0;
  rest = undefined;
  let sent = bytes - filled;
  let restId = saved?.id;
  /** What was not saved yet. */
  let news = { rows: 0, tags: tags.length, bytes, notes: [] as unknown[], isMoved: false };
  let underWay: Promise<void> = Promise.resolve();

  async function begin(): Promise<string> {
    const id = await objects.inParts.begin(name);
    if (await jobs.exports.setUpload(job.id, job.fence, id)) return id;
    await objects.inParts.abandon(name, id);
    throw new LeaseLost();
  }

  /** Sends the part in the background, once that before it is there. */
  async function send(): Promise<void> {
    await underWay;
    checkLease();
    const number = tags.length + 1;
    if (number > maxParts)
      throw new JobFailed('the file is larger than a bucket takes: make exports of shorter periods');
    upload ??= await begin();
    const [id, data, end] = [upload, part, filled];
    underWay = (async () => {
      tags.push(await objects.inParts.put(name, id, { number, start: sent }, data.subarray(0, end)));
      sent += end;
      freeBuffer(data);
    })();
    // A failure is handled at the later await.
    underWay.catch(() => undefined);
    part = Buffer.allocUnsafeSlow(sizeOf(number + 1));
    filled = 0;
  }

  async function save(): Promise<void> {
    await underWay;
    if (!position || !news.isMoved) return;
    const noted = news.notes.map(async (note) => ({
      id: await parts.put(job.id, Buffer.alloc(0), note),
      rows: 0,
      bytes: 0,
    }));
    const packed = await pack(part.subarray(0, filled));
    const id = await parts.put(job.id, packed);
    const added = [...(await Promise.all(noted)), { id, rows: news.rows, bytes: bytes - news.bytes }];
    const commit = {
      parts: added,
      position,
      firstCreatedAt,
      lastCreatedAt,
      ...(upload && { tags: tags.slice(news.tags) }),
    };
    if (!(await jobs.exports.commitParts(job.id, job.fence, commit))) throw new LeaseLost();
    if (restId) await parts.remove(restId);
    restId = id;
    news = { rows: 0, tags: tags.length, bytes, notes: [], isMoved: false };
  }

  /** Stores a small file, which another worker may have stored already. */
  async function store(data: Buffer): Promise<string> {
    const sha256 = await sha256Of(whole(data));
    if (!(await objects.create(name, whole(data))) && !(await isThere(objects, name, sha256)))
      await objects.replace(name, whole(data));
    return sha256;
  }

  async function* readBack(check: () => void): AsyncGenerator<Buffer> {
    const pieces = await objects.read(name);
    if (!pieces) throw new JobFailed(`${name} is gone already: let nothing else remove it`);
    for await (const piece of pieces) {
      check();
      yield piece;
    }
  }

  return {
    async add({ data, note }, extent) {
      hash.update(data);
      bytes += data.length;
      firstCreatedAt ??= extent.first;
      lastCreatedAt = extent.last ?? lastCreatedAt;
      position = extent.position;
      news.rows += extent.rows;
      news.isMoved = true;
      if (note !== undefined) news.notes.push(note);
      for (let at = 0; at < data.length; ) {
        const taken = data.subarray(at, at + part.length - filled);
        part.set(taken, filled);
        filled += taken.length;
        at += taken.length;
        if (filled === part.length) await send();
      }
      freeBuffer(data);
      if (tags.length - news.tags >= partsBetweenSaves) await save();
    },

    move(to) {
      position = to;
      news.isMoved = true;
    },

    drain: () => underWay,
    save,

    async end(check) {
      await underWay;
      const times = { firstCreatedAt, lastCreatedAt };
      if (!upload) return { bytes, ...times, sha256: await store(part.subarray(0, filled)) };
      if (filled > 0) await send();
      // From here on another worker only ends the job.
      await save();
      check();
      await objects.inParts.finish(name, upload, tags);
      return { bytes, ...times, sha256: await hash.digest(() => readBack(check)) };
    },
  };
}
