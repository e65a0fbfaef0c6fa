import type { Db } from 'mongodb';

const services = ['sluice-api', 'sluice-ingest-worker', 'sluice-export-worker', 'sluice-query-worker'];

/** The name under which a process connects. It has the database, because several installations may share one MongoDB. */
export const connectionName = (appName: string, db: string) => `${appName}/${db}`;

/** The services that are connected, as `sluice-api at 10.0.0.7`. Needs no privilege: a user sees the connections of the same user. */
export async function connectedServices(db: Db): Promise<string[]> {
  const names = services.map((name) => connectionName(name, db.databaseName));
  const stages = [
    { $currentOp: { allUsers: false, idleConnections: true, localOps: true } },
    { $match: { appName: { $in: names } } },
  ];
  const connections = await db.client
    .db('admin')
    .aggregate<{ appName: string; client: string }>(stages, { readConcern: { level: 'local' } })
    .toArray();
  const found = connections.map(
    ({ appName, client }) => `${appName.split('/')[0]} at ${client.replace(/:\d+$/, '')}`,
  );
  return [...new Set(found)].sort();
}
