import type { ObjectId } from 'mongodb';

export interface ApplicationRecord {
  id: string;
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
  createdAt: Date;
  lastModifiedAt: Date;
}

/** Who may upload. */
export type Access = Pick<ApplicationRecord, 'keyRequired' | 'allowedOrigins'>;

export interface ApplicationDocument
  extends Omit<ApplicationRecord, 'id' | 'owner' | 'version' | 'retentionDays' | keyof Access>,
    Partial<Access> {
  _id: ObjectId;
  owner: { id: ObjectId; username: string };
  /** Absent while the first schema is in force. */
  version?: number;
  retentionDays?: number | null;
  /** Set on a tombstone, which keeps the domain from being used again. */
  deletedAt?: Date;
  /** Set once nothing of a deleted application is left. */
  purgedAt?: Date;
}

export const alive = { deletedAt: { $exists: false } };

export const toAccess = ({ keyRequired = false, allowedOrigins = [] }: Partial<Access>): Access => ({
  keyRequired,
  allowedOrigins,
});

export const toRecord = ({
  _id,
  owner,
  version = 1,
  retentionDays = null,
  ...rest
}: ApplicationDocument): ApplicationRecord => ({
  ...rest,
  ...toAccess(rest),
  version,
  retentionDays,
  id: _id.toHexString(),
  owner: { id: owner.id.toHexString(), username: owner.username },
});
