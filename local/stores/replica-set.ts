import { connect } from 'node:net';
import { type Db, MongoClient, MongoServerError } from 'mongodb';
import { until } from './store.ts';

const notYetInitialized = 94;

/** Waits for the mongod at `url`, and makes it primary as the only member `member` of its replica set. */
export async function makePrimary(url: string, member: string, alive: AbortSignal): Promise<void> {
  // The driver waits half a second after a refused connection, so it starts only when the server listens.
  await until(() => accepts(url), alive);
  const client = await until(() => connectClient(url), alive);
  try {
    const admin = client.db('admin');
    await until(() => configure(admin, member), alive);
    await until(() => primary(admin), alive);
  } finally {
    await client.close();
  }
}

function accepts(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}

async function connectClient(url: string): Promise<MongoClient> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 500 });
  try {
    return await client.connect();
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function configure(admin: Db, member: string): Promise<void> {
  const config = await readConfig(admin);
  if (!config) {
    const members = [{ _id: 0, host: member }];
    await admin.command({ replSetInitiate: { _id: 'sluice', members } });
  } else if (config.members[0]?.host !== member) {
    // With a new name, the server is not a member of its own set and cannot vote, so the change needs `force`.
    const members = [{ ...config.members[0], host: member }];
    const renamed = { ...config, version: config.version + 1, members };
    await admin.command({ replSetReconfig: renamed, force: true });
  }
}

async function readConfig(admin: Db) {
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    return config as { version: number; members: { host: string }[] };
  } catch (error) {
    if (error instanceof MongoServerError && error.code === notYetInitialized) return undefined;
    throw error;
  }
}

async function primary(admin: Db): Promise<void> {
  const { isWritablePrimary } = await admin.command({ hello: 1 });
  if (!isWritablePrimary) throw new Error('mongod does not become primary');
}
