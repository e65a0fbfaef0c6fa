import { connectDatabase } from '@sluice/store/connect.ts';
import { replayStore } from '@sluice/store/refused/replays.ts';
import { chunkStore } from './record/chunks.ts';
import { exportJobs } from './record/export-jobs.ts';
import { jobStore } from './record/jobs.ts';
import { partStore } from './record/parts.ts';

export type Store = ReturnType<typeof connectStore>;

type Options = Parameters<typeof connectDatabase>;

/** Opens the database with the records of jobs; see `connectDatabase`. */
export function connectStore(
  config: Options[0],
  appName: string,
  patience: Options[2],
  metrics?: Options[3],
) {
  const { db, writer, ...database } = connectDatabase(
    config,
    appName,
    patience,
    metrics,
    (session, application, keys) => exportJobs(db).noteDeleted(session, application, keys),
  );
  const chunks = chunkStore(db, writer);
  return {
    ...database,
    jobs: jobStore(db, chunks),
    parts: partStore(db),
    chunks,
    replays: replayStore(db, database.entries, database.batches, writer, config.timeoutMs),
  };
}
