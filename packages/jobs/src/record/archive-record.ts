import type { LakeFile, LakeManifest } from '@sluice/objects/lake/manifest.ts';
import type { Coverage } from '@sluice/store/archives/archive-records.ts';
import type { ExportShape } from './export-record.ts';
import type { Job } from './job.ts';

/** A file of a run. Only compaction replaces it. */
export type ArchivedFile = Omit<LakeFile, 'next'>;

/** What a run archives: the entries of `covers` without those of `before`. Fixed before its first file. */
export interface ArchivePlan {
  before: Coverage;
  covers: Coverage;
  /** When there may be entries of `covers` that are older than `before.until`: the time of the oldest. */
  lateSince?: Date | undefined;
  /** Version of the schema, and columns: as of exports. */
  version: number;
  leafCount: number;
  hasRest?: boolean | undefined;
  hasLarge?: boolean | undefined;
}

/** A run of an archive. A worker that takes over continues behind the last file. */
export interface ArchiveJob extends Job {
  kind: 'archive';
  /** `archive`: its id. `run`: its number; an archive has one job for each. */
  options: { archive: string; run: number };
  plan?: ArchivePlan;
  /** Types of Parquet columns that the schemas do not determine. */
  shape?: ExportShape;
  files: ArchivedFile[];
  /** For questions: the jobs of earlier runs are removed. */
  transient?: boolean;
  /** The stored list of deleted entries, once it is known whether there is one. */
  listed?: Pick<LakeManifest, 'deleted'>;
  /** `deletions`: entries of the list in `_deleted`, where the run has one. */
  result?: { entries: number; files: number; bytes: number; deletions?: number };
}

/** Compares the files of an archive with their manifests and the stored entries. */
export interface VerificationJob extends Job {
  kind: 'verification';
  options: { archive: string };
  /** Name of the last file that was read. */
  after?: string | undefined;
  /** `entries`: those that the runs cover. */
  result?: { entries: number; files: number; bytes: number; equal: true };
}
