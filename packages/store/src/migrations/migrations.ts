import type { Db } from 'mongodb';

/** Upgrades the database by one version. It may run twice, or die halfway, and services of the version before may still run. */
export type Migration = (db: Db) => Promise<void>;

/** The first one leads from version 1 to version 2, and so on. What exists is never changed: add one at the end. */
export const migrations: Migration[] = [];

export const currentVersion = ({ length }: Migration[]): number => length + 1;
