import type { Db } from 'mongodb';

interface BackupDocument {
  _id: 'backup';
  finishedAt: Date;
}

/** What the operator did with the whole installation. */
export function operationStore(db: Db) {
  const operations = db.collection<BackupDocument>('operations');
  return {
    /** When the last backup that succeeded ended; undefined when there was none. */
    async lastBackup(): Promise<Date | undefined> {
      return (await operations.findOne({ _id: 'backup' }))?.finishedAt;
    },
  };
}
