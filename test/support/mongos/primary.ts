import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';

/** `mongos` itself looks for 20 s. */
const searchMs = 5_000;
const pauseMs = 50;

interface Address {
  host: string;
  port: number;
}

const addressOf = (text: string): Address => {
  const { hostname, port } = new URL(`tcp://${text}`);
  return { host: hostname, port: Number(port) };
};

async function open(address: Address): Promise<Socket> {
  const socket = connect(address);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

/** Connects to the primary, whichever member that is. */
export function createPrimary(own: MongoClient) {
  const { hosts, directConnection } = own.options;
  const [only] = hosts.map(({ host, port }) => ({ host: host ?? '127.0.0.1', port: port ?? 27017 }));
  const isFixed = hosts.length === 1 || directConnection;
  let known: Address | undefined;

  async function find(): Promise<Address> {
    if (isFixed && only) return only;
    known ??= addressOf((await own.db('admin').command({ hello: 1 })).primary);
    return known;
  }

  return {
    /** Rejects when there is none for some seconds. */
    async connect(): Promise<Socket> {
      for (const deadline = performance.now() + searchMs; ; ) {
        try {
          return await open(await find());
        } catch (error) {
          known = undefined;
          if (performance.now() > deadline) throw error;
          await pause(pauseMs);
        }
      }
    },
    /** Another member may be the primary now. */
    forget(): void {
      known = undefined;
    },
  };
}

export type Primary = ReturnType<typeof createPrimary>;
