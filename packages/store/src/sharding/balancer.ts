import { type Db, ObjectId } from 'mongodb';
import { operationsName } from '../backup/block.ts';
import type { Cluster } from './cluster.ts';

const _id = 'balancer';

interface Mark {
  _id: typeof _id;
  /** Which backup stopped the balancer last. */
  backup: ObjectId;
  at: Date;
}

export type Balancer = ReturnType<typeof balancerStore>;

/** The balancer of a cluster, which moves ranges between shards, and what backups do with it. */
export function balancerStore(db: Db, cluster: Cluster) {
  const marks = db.collection<Mark>(operationsName);
  const mark = () => marks.findOne({ _id });

  return {
    /** `stoppedAt`: when a backup stopped it, if one did and has not started it again. */
    async state(): Promise<{ isRunning: boolean; stoppedAt?: Date | undefined }> {
      const isRunning = await cluster.isBalancing();
      return isRunning ? { isRunning } : { isRunning, stoppedAt: (await mark())?.at };
    },

    /**
     * Stops the balancer. Returns what starts it again: only if it ran before, or a backup that died had stopped it. Of two backups
     * at once, the later one starts it.
     */
    async rest(): Promise<() => Promise<void>> {
      if (!(await cluster.isBalancing()) && !(await mark())) return async () => {};
      const backup = new ObjectId();
      await marks.replaceOne({ _id }, { backup, at: new Date() }, { upsert: true });
      await cluster.stopBalancer();
      return async () => {
        if (!(await mark())?.backup.equals(backup)) return;
        await cluster.startBalancer();
        await marks.deleteOne({ _id, backup });
      };
    },
  };
}
