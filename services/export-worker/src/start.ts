import { tmpdir } from 'node:os';
import { createClean } from '@sluice/jobs/clean.ts';
import { archiveOpener } from '@sluice/jobs/open-archive.ts';
import { exportsQueue, timings as usual } from '@sluice/jobs/queue/queues.ts';
import { createStartArchives } from '@sluice/jobs/start-archives.ts';
import { openWorker, type RunningWorker, startWorker } from '@sluice/jobs/worker.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import type { ExportWorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { archiveKind } from './archive/archive-kind.ts';
import { createCleanAsked } from './archive/asked-folders.ts';
import { createMerges } from './archive/create-merges.ts';
import { monitorArchives } from './archive/monitor-archives.ts';
import { erasureKind } from './erasure/erasure-kind.ts';
import { exportKind } from './export/export-kind.ts';
import { verificationKind } from './verification/verification-kind.ts';

export interface ArchiveOptions {
  /** Opens what an archive stores its files in. Throws ObjectStoreError. */
  openObjects(archive: Pick<ArchiveRecord, 'to' | 'format'>): ObjectStore;
  /** For temporary files. */
  folder: string;
  /** A file of an archive ends with the piece that reaches this. */
  fileBytes: number;
  /** A run of an archive ends with so many files. */
  mostFiles: number;
}

/** With its last piece a file of an archive has at most 256 MB. */
const usualFileBytes = 216 * 1024 ** 2;
/** The document of a job has room for ten times as many. */
const usualMostFiles = 5_000;

/** This service makes exports, runs archives, verifies them, and erases. */
export async function startExportWorker(
  config: ExportWorkerConfig,
  log: Logger,
  timings = usual,
  archives: ArchiveOptions = {
    openObjects: archiveOpener(config),
    // In a container the usual folder may be memory.
    folder: typeof config.archiveFolder === 'string' ? config.archiveFolder : tmpdir(),
    fileBytes: usualFileBytes,
    mostFiles: usualMostFiles,
  },
): Promise<RunningWorker> {
  const { archiveFolder, retentionMs } = config;
  const { metrics, store, redis, queue, jobsTask } = await openWorker(
    'sluice-export-worker',
    exportsQueue,
    config,
    timings,
    log,
  );
  monitorArchives(store.archives, metrics);
  const { leaseMs } = timings;
  const countBytes = metrics.count('sluice_archive_bytes_total', {});
  const merges = createMerges({ store, log, ...archives });
  const startArchives = createStartArchives(store, queue);
  const clean = createClean(store, log);
  const cleanAsked = createCleanAsked(store, archiveFolder);
  return startWorker({
    config,
    timings,
    log,
    metrics,
    tasks: [
      jobsTask(
        exportKind({ store, retentionMs, leaseMs, log, ...archives }),
        archiveKind({ store, merges, countBytes, leaseMs, log, ...archives }),
        verificationKind({ store, leaseMs, openObjects: archives.openObjects }),
        erasureKind({ store, retentionMs, leaseMs, log, archiveFolder, ...archives }),
      ),
    ],
    async clean() {
      await clean();
      await cleanAsked();
      // Last, as it fails while Redis is away.
      await startArchives();
    },
    close: async () => {
      await merges.stop();
      redis.disconnect();
      await store.close();
    },
  });
}
