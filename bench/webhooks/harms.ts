import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { forEach } from '../support/for-each.ts';
import type { Account } from '../support/sluice.ts';

/** An owner may have so many webhooks for each application. */
const webhooksEach = 10;
const atOnce = 8;
const acceptSchema = { type: 'object' };

/** Webhooks of one other owner, paused until the harm begins. */
export interface Harm {
  name: string;
  /** It harms while it begins. */
  isSudden?: boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
}

type Receiver = (socket: Socket) => void;

const hangs: Receiver = () => {};
const neverReached: Receiver = (socket) => void socket.destroy();
/** Sends informational answers as fast as they are read. */
const informs: Receiver = (socket) => {
  const line = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'.repeat(100);
  const send = () => {
    while (!socket.destroyed && socket.write(line));
  };
  socket.on('drain', send);
  send();
};

/** Creates the webhooks of all harms. Returns how to stop their receivers too. */
export async function createHarms(account: Account): Promise<{ harms: Harm[]; stop(): void }> {
  const servers: Server[] = [];

  async function listen(receiver: Receiver): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.resume();
      receiver(socket);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  async function harm(name: string, count: number, receiver: Receiver, isPinged: boolean): Promise<Harm> {
    const { client, token } = account;
    const url = await listen(receiver);
    const applications = Array.from({ length: count / webhooksEach }, (_, at) => at);
    const webhooks: string[] = [];
    const change = (path: string, state: 'active' | 'paused') =>
      client.need('PATCH', path, { token, body: { state } });
    await forEach(applications, atOnce, async () => {
      const path = `/applications/${await account.create(acceptSchema)}/webhooks`;
      for (let n = 0; n < webhooksEach; n++) {
        const body = { url, events: ['entries.stored'] };
        const { id } = await client.need<{ id: string }>('POST', path, { token, body });
        await change(`${path}/${id}`, 'paused');
        webhooks.push(`${path}/${id}`);
      }
    });
    return {
      name,
      begin: () =>
        forEach(webhooks, atOnce, async (path) => {
          await change(path, 'active');
          if (isPinged) await client.need('POST', `${path}/ping`, { token });
        }),
      end: () => forEach(webhooks, atOnce, async (path) => void (await change(path, 'paused'))),
    };
  }

  const idle = await harm('3,000 idle webhooks', 3_000, neverReached, false);
  return {
    harms: [
      await harm('400 webhooks that hang, each pinged', 400, hangs, true),
      { ...idle, name: '3,000 webhooks that are set active at once', isSudden: true },
      idle,
      await harm('40 receivers that send 103 without end, each pinged', 40, informs, true),
    ],
    stop: () => {
      for (const server of servers) server.close();
    },
  };
}
