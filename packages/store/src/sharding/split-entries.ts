import { type Binary, type Db, ObjectId } from 'mongodb';
import { kept } from '../applications/deleted-applications.ts';
import { firstKeyAt, highestId, lowestId, timeOfKey, toKey } from '../entries/entry-id.ts';
import type { Cluster } from './cluster.ts';

/** The limit of cuts between applications, and inside one application. MongoDB itself cuts ranges that it moves. */
const mostCuts = 1_000;
/** As much as MongoDB moves at once. */
const rangeBytes = 128 * 1024 ** 2;

/** Picks at most `count` items, evenly spread. */
export const spread = <T>(all: T[], count: number): T[] =>
  all.length <= count
    ? all
    : Array.from({ length: count }, (_, n) => all[Math.floor((n * all.length) / count)] as T);

const hex = (key: Binary) => key.toString('hex');

/** A milestone of an application; see docs/decisions/0010-milestones.md. */
interface Sized {
  _id: Binary;
  bytes: number;
}

/**
 * Where to cut an application into ranges of `bytes` or a little more, each the lowest key of a time. `there`: where it is cut
 * already, in ascending order.
 */
export async function* furtherCuts(
  application: string,
  milestones: AsyncIterable<Sized>,
  there: string[],
  bytes = rangeBytes,
): AsyncGenerator<Binary> {
  let since = 0;
  let last = -1;
  let next = 0;
  for await (const { _id, bytes: upTo } of milestones) {
    const time = timeOfKey(_id);
    // A cut is between two times.
    if (time === last) continue;
    last = time;
    const isCut = (there[next] ?? 'z') <= hex(_id);
    while ((there[next] ?? 'z') <= hex(_id)) next += 1;
    if (!isCut && upTo - since < bytes) continue;
    if (!isCut) yield firstKeyAt(application, new Date(time));
    since = upTo;
  }
}

export interface Cuts {
  there: number;
  made: number;
}

/** Cuts the entries into ranges. Throws ClusterRefusal. */
export function entrySplits(db: Db, cluster: Cluster) {
  async function cut({ length: there }: unknown[], wanted: Binary[]): Promise<Cuts> {
    const chosen = spread(wanted, Math.max(0, mostCuts - there));
    if (chosen.length > 0) await cluster.keepSplits('entries');
    for (const key of chosen) await cluster.split('entries', key);
    return { there, made: chosen.length };
  }

  return {
    /** Where applications begin. Of very many applications, not all have a range of their own. */
    async atApplications(): Promise<Cuts & { applications: number }> {
      const bounds = await cluster.bounds('entries');
      const begins: Binary[] = [];
      const applications = db.collection<{ _id: ObjectId }>('applications');
      for await (const { _id } of applications.find(kept, { projection: { _id: 1 } }).sort({ _id: 1 }))
        begins.push(toKey(_id.toHexString(), lowestId));
      const { there = [], missing = [] } = Object.groupBy(begins, (key) =>
        bounds.has(hex(key)) ? 'there' : 'missing',
      );
      return { ...(await cut(there, missing)), applications: begins.length };
    },

    /** By time, into ranges of the size that MongoDB moves. */
    async ofApplication(application: string): Promise<Cuts> {
      const [lowest, highest] = [toKey(application, lowestId), toKey(application, highestId)];
      const bounds = await cluster.bounds('entries');
      const there = [...bounds].filter((key) => key > hex(lowest) && key <= hex(highest)).sort();
      const milestones = db
        .collection<Sized & { application: ObjectId }>('milestones')
        .find({ application: new ObjectId(application) }, { projection: { bytes: 1 } })
        .sort({ rank: 1 });
      return cut(there, await Array.fromAsync(furtherCuts(application, milestones, there)));
    },
  };
}
