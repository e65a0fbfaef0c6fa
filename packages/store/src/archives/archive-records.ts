import type { Meta } from '@sluice/tables/columns.ts';
import { type Filter, ObjectId } from 'mongodb';
import type { EntryId } from '../entries/entry-id.ts';

/** `secret`: sealed, see packages/shared/src/seal.ts. */
export interface BucketTarget {
  kind: 's3';
  endpoint?: string;
  region?: string;
  bucket: string;
  prefix?: string;
  accessKeyId: string;
  secret: string;
  pathStyle?: boolean;
}

/** The folder is the operator's. */
export interface FolderTarget {
  kind: 'folder';
}

export type ArchiveTarget = BucketTarget | FolderTarget;

export const archivePeriods = { '15m': 900_000, '1h': 3_600_000, '1d': 86_400_000 } as const;
export type ArchivePeriod = keyof typeof archivePeriods;

export const archiveFormats = ['parquet', 'ndjson', 'csv'] as const;
export type ArchiveFormat = (typeof archiveFormats)[number];

/** `failing`: the last run failed, for `reason`; it is tried again. */
export type ArchiveState = 'active' | 'paused' | 'failing';

/** What the finished runs have: entries up to `until` that no later version than `announced` announced. See `EntryDocument`. */
export interface Coverage {
  until?: EntryId;
  announced: number;
}

export interface ArchiveRecord {
  id: string;
  application: string;
  name?: string;
  to: ArchiveTarget;
  format: ArchiveFormat;
  every: ArchivePeriod;
  from: 'beginning' | 'now';
  meta?: Meta[];
  state: ArchiveState;
  reason?: string;
  covers: Coverage;
  /** Number of the next run, from 1. */
  run: number;
  /** `deletions`: entries that it listed as deleted, where there are any. */
  lastRun?: {
    run: number;
    at: Date;
    plannedAt: Date;
    entries: number;
    files: number;
    bytes: number;
    deletions?: number;
  };
  /** When the latest run was planned: it has all that was stored by then. */
  plannedAt?: Date;
  /** When the next run begins, or a failed one is tried again. */
  dueAt: Date;
  /** A run was asked for after the one under way was planned. */
  hurried?: boolean;
  /** Tries of the run that failed. */
  failures: number;
  /** Of all files of all runs. */
  entries: number;
  bytes: number;
  /** Of finished runs: a run without files has none. For questions: those that no merge replaces, and those of merges. */
  manifests: number;
  /** Number of the last finished merge. Of archives for questions. */
  merges?: number;
  /** The last run that has one. Of archives for questions. */
  lastManifest?: number;
  createdAt: Date;
  /** Username. */
  createdBy: string;
  lastModifiedAt: Date;
  /** Entries with old times were announced: the oldest is of `since`, the first announced at `at`, the last by this version. */
  late?: { since: Date; at: Date; announced: number };
  /** Of the files. `fence`: counts the claims. `at`: when the last one ended. */
  compaction?: { fence: number; leaseUntil: Date; at?: Date };
  /** Ids of erasures whose records the next run stores. */
  erasures?: string[];
  /** When someone last asked. Absent: the archive is an owner's. */
  asked?: Date;
}

export interface ArchiveDocument extends Omit<ArchiveRecord, 'id' | 'application'> {
  _id: ObjectId;
  application: ObjectId;
}

export const archivesName = 'archives';

/** Archives of owners; the others are for questions, see asked-archives.ts. */
export const ofOwner = { asked: { $exists: false } } as const;

export const oneArchive = (application: string, id: string): Filter<ArchiveDocument> => ({
  _id: ObjectId.isValid(id) ? new ObjectId(id) : new ObjectId('0'.repeat(24)),
  application: new ObjectId(application),
});

/** The fields of an archive that is made now: by MongoDB's clock its first run is due at once. */
export const withoutRuns = () => ({
  state: 'active' as const,
  run: 1,
  failures: 0,
  entries: 0,
  bytes: 0,
  manifests: 0,
  dueAt: new Date(0),
  createdAt: new Date(),
  lastModifiedAt: new Date(),
});

export const toArchive = ({ _id, application, ...rest }: ArchiveDocument): ArchiveRecord => ({
  ...rest,
  id: _id.toHexString(),
  application: application.toHexString(),
});

/** The folder of an archive's files, below the prefix of its bucket. */
export const folderOf = ({ asked, id }: Pick<ArchiveRecord, 'asked' | 'id'>, domain: string): string =>
  asked ? `${questionsFolder}/${id}` : domain;

/** No application has such a domain. */
export const questionsFolder = '_questions';
