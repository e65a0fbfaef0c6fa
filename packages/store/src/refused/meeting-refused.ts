import { parseExactJson } from '@sluice/json/parse-json.ts';
import { BSON, type ClientSession, type Db, type Document, ObjectId } from 'mongodb';
import { type MemberCondition, toQuery } from '../entries/entry-filter.ts';
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

/** The payload as an entry would have it. Undefined if it is not JSON, or MongoDB cannot have it. */
function payloadOf(upload: Read): Document | undefined {
  if (isText(upload)) return undefined;
  try {
    const payload = parseExactJson(upload.payload) as Document;
    BSON.calculateObjectSize({ payload });
    return payload;
  } catch {
    return undefined;
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
    const documents: Document[] = [];
    const found: ObjectId[] = [];
    for (const upload of uploads) {
      const payload = payloadOf(upload);
      if (payload !== undefined) documents.push({ _id: upload._id, payload });
      else if (whole.some((one) => one.test(upload.payload))) found.push(upload._id);
    }
    if (documents.length > 0) {
      const stages = [{ $documents: { $literal: documents } }, { $match: toQuery(conditions) }];
      for await (const { _id } of db.aggregate<{ _id: ObjectId }>([...stages, { $project: { _id: 1 } }]))
        found.push(_id);
    }
    return found.map((id) => id.toHexString());
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
