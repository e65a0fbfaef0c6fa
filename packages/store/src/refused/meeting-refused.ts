import { parseExactJson } from '@sluice/json/parse-json.ts';
import { BSON, type ClientSession, type Db, ObjectId } from 'mongodb';
import type { MemberCondition } from '../entries/entry-filter.ts';
import { matchEntries } from '../entries/match-entries.ts';
import { isText, type RefusedDocument } from './refused-records.ts';

/** Read at a time. */
const mostUploads = 200;
const mostBytes = 4 * 1024 ** 2;

/** Which refused uploads an erasure takes. */
export interface Meeting {
  conditions: MemberCondition[];
  /** An upload that is not JSON is taken if it has one of these texts, apart from letters and digits. */
  texts: string[];
}

type Read = Pick<RefusedDocument, '_id' | 'payload' | 'truncated' | 'reason' | 'size'>;
const fields = { payload: 1, truncated: 1, reason: 1, size: 1 } as const;

/** Whether an entry could have the payload. */
function isPayload(upload: Read): boolean {
  if (isText(upload)) return false;
  try {
    BSON.calculateObjectSize({ payload: parseExactJson(upload.payload) });
    return true;
  } catch {
    return false;
  }
}

/** Finds refused uploads by their payloads. */
export function meetingRefused(db: Db) {
  const refused = db.collection<RefusedDocument>('refused');

  /** MongoDB tests them as it tests entries. */
  async function idsAmong(uploads: Read[], { conditions, texts }: Meeting): Promise<string[]> {
    const whole = texts.map(
      (text) => new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(text)}(?![\\p{L}\\p{N}])`, 'u'),
    );
    const isWhole = (upload: Read) => whole.some((one) => one.test(upload.payload));
    const [payloads, others] = [uploads.filter(isPayload), uploads.filter((upload) => !isPayload(upload))];
    const entries = payloads.map(({ payload }) => ({ payload: Buffer.from(payload), by: undefined }));
    const isMet = entries.length > 0 ? await matchEntries(db, conditions, entries) : [];
    const found = [...payloads.filter((_, at) => isMet[at]), ...others.filter(isWhole)];
    return found.map(({ _id }) => _id.toHexString());
  }

  return {
    /** The ids of those that meet, some at a time; also of none, so that the caller can renew its lease. */
    async *meeting(application: string, meeting: Meeting): AsyncGenerator<string[]> {
      let uploads: Read[] = [];
      let bytes = 0;
      for await (const upload of refused
        .find({ application: new ObjectId(application) })
        .project<Read>(fields)
        .sort({ _id: 1 })
        .batchSize(mostUploads)) {
        uploads.push(upload);
        bytes += upload.size;
        if (uploads.length < mostUploads && bytes < mostBytes) continue;
        yield await idsAmong(uploads, meeting);
        uploads = [];
        bytes = 0;
      }
      if (uploads.length > 0) yield await idsAmong(uploads, meeting);
    },

    /** Returns how many there were. */
    async erase(application: string, ids: string[], session: ClientSession): Promise<number> {
      const _id = { $in: ids.map((id) => new ObjectId(id)) };
      const those = { application: new ObjectId(application), _id };
      return (await refused.deleteMany(those, { session })).deletedCount;
    },
  };
}
