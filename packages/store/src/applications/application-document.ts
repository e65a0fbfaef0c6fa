import type { ObjectId, Timestamp } from 'mongodb';
import { type Revision, toRevision } from '../changes.ts';
import { type EntryId, timeOfId } from '../entries/entry-id.ts';
import type { Reason } from '../refused/refused-records.ts';

/** What a user may do with an application: each role includes those before it. */
export const roles = ['reader', 'editor', 'owner'] as const;
export type Role = (typeof roles)[number];
export type MemberRole = Exclude<Role, 'owner'>;

/** A user with whom the owner shares an application. */
export interface Member {
  id: string;
  username: string;
  role: MemberRole;
  since: Date;
}

export interface ApplicationRecord {
  id: string;
  revision: Revision;
  domain: string;
  owner: { id: string; username: string };
  name: string;
  type: string;
  connectors: { package_url: string; language: string }[];
  /** The schema in force. */
  rawSchema: string;
  /** Of the schema, from 1. */
  version: number;
  /** Of the schema, where it is not the first one. */
  note?: string;
  publishedAt?: Date;
  /** Username. */
  publishedBy?: string;
  /** Uploads need one of its keys. */
  keyRequired: boolean;
  /** Origins whose pages may upload; none says nothing about pages. */
  allowedOrigins: string[];
  /** Entries that are older are deleted; null: none. */
  retentionDays: number | null;
  /** Id of the archive into which old entries move, and from which exports read them; null: old entries are deleted. */
  retentionArchive: string | null;
  /** The highest entry that was taken away because the archive has it; absent: there was none. */
  archivedUntil?: EntryId;
  /** One entry is stored for each value of a member; null: any number. */
  unique: Unique | null;
  /** Entries of it were deleted. */
  hasDeletions?: boolean;
  refused: RefusedSettings;
  /** Groups of refused uploads, each dismissed until an upload is refused for its reason after `at`. */
  dismissed?: (Reason & { at: Date })[];
  /** In the order in which they came. */
  members: Member[];
  createdAt: Date;
  lastModifiedAt: Date;
  /** Set if it was deleted and can be restored until `purgeAt`. */
  deletedAt?: Date;
  purgeAt?: Date;
}

/** A member of payloads that identifies an upload among the entries of the last `days`; absent: among all. */
export interface Unique {
  /** JSON Pointer. */
  path: string;
  days?: number | undefined;
}

/** Which refused uploads are kept: at most `limit`, for `days`. */
export interface RefusedSettings {
  keep: boolean;
  limit: number;
  days: number;
}

/** Who may upload, and what becomes of uploads that are refused. */
export type Access = Pick<ApplicationRecord, 'keyRequired' | 'allowedOrigins' | 'refused'>;
export type StoredAccess = Partial<Omit<Access, 'refused'>> & { refused?: Partial<RefusedSettings> };

export interface ApplicationDocument
  extends Omit<
      ApplicationRecord,
      | 'id'
      | 'revision'
      | 'owner'
      | 'version'
      | 'retentionDays'
      | 'retentionArchive'
      | 'unique'
      | 'members'
      | keyof Access
    >,
    StoredAccess {
  _id: ObjectId;
  owner: { id: ObjectId; username: string };
  members?: (Omit<Member, 'id'> & { id: ObjectId })[];
  /** Absent while the first schema is in force. */
  version?: number;
  retentionDays?: number | null;
  retentionArchive?: string | null;
  unique?: Unique | null;
  /** When an archive was deleted last. */
  archivesChangedAt?: Date;
  /** Set once nothing of a deleted application is left. */
  purgedAt?: Date;
  /** See `changing`. */
  changedAt?: Timestamp;
}

export const alive = { deletedAt: { $exists: false } };

const refusedDefaults: RefusedSettings = { keep: true, limit: 10_000, days: 30 };

const toAccess = ({ keyRequired = false, allowedOrigins = [], refused }: StoredAccess): Access => ({
  keyRequired,
  allowedOrigins,
  refused: { ...refusedDefaults, ...refused },
});

export const toRecord = ({
  _id,
  owner,
  version = 1,
  retentionDays = null,
  retentionArchive = null,
  unique = null,
  members = [],
  changedAt,
  archivesChangedAt,
  ...rest
}: ApplicationDocument): ApplicationRecord => ({
  ...rest,
  ...toAccess(rest),
  version,
  retentionDays,
  retentionArchive,
  unique,
  id: _id.toHexString(),
  revision: toRevision(changedAt),
  owner: { id: owner.id.toHexString(), username: owner.username },
  members: members.map((member) => ({ ...member, id: member.id.toHexString() })),
});

/** Entries before it may be in the archive of the retention alone. Undefined: there are none. */
export const archivedBefore = ({
  archivedUntil,
}: Pick<ApplicationRecord, 'archivedUntil'>): Date | undefined =>
  archivedUntil === undefined ? undefined : new Date(timeOfId(archivedUntil).getTime() + 1);

/** Undefined for a user who is no member. */
export function roleOf(
  { owner, members }: Pick<ApplicationRecord, 'owner' | 'members'>,
  userId: string,
): Role | undefined {
  if (owner.id === userId) return 'owner';
  return members.find(({ id }) => id === userId)?.role;
}
