import type { Db } from 'mongodb';

/** Whether the database is on a sharded cluster: then it is `mongos` that answers. */
export const isCluster = async (db: Db): Promise<boolean> =>
  (await db.command({ hello: 1 })).msg === 'isdbgrid';
