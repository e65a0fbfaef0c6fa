import type { Socket } from 'node:net';
import { Failed } from './failures.ts';
import type { Primary } from './primary.ts';
import { messagesOf } from './wire.ts';

/** The connection ended while a command was under way: it may be done or not. */
export class ConnectionLost extends Error {}

interface Dependencies {
  primary: Primary;
  /** What a connection begins with, so that MongoDB knows the client. */
  greeting(): Buffer | undefined;
}

/** One connection to the primary, made again when it has ended. One message is under way at a time. */
export function createUpstream({ primary, greeting }: Dependencies) {
  let socket: Socket | undefined;
  let answers: AsyncGenerator<Buffer> | undefined;

  async function open(): Promise<void> {
    const opened = await primary.connect();
    opened.on('close', () => {
      if (socket === opened) socket = undefined;
    });
    socket = opened;
    answers = messagesOf(opened);
    const hello = greeting();
    if (hello) await exchange(hello);
  }

  async function exchange(message: Buffer): Promise<Buffer> {
    socket?.write(message);
    const next = await answers?.next().catch(() => undefined);
    if (!next || next.done) throw new ConnectionLost('the connection to the primary has ended');
    return next.value;
  }

  async function connected(): Promise<void> {
    if (socket) return;
    await open().catch((error) => {
      throw new Failed(
        133,
        `Could not find host matching read preference { mode: "primary" }: ${error.message}`,
      );
    });
  }

  return {
    /** Throws Failed if it was not sent, and ConnectionLost if it may have been done. */
    async ask(message: Buffer): Promise<Buffer> {
      await connected();
      return exchange(message);
    },
    async tell(message: Buffer): Promise<void> {
      await connected();
      socket?.write(message);
    },
    close(): void {
      socket?.destroy();
      socket = undefined;
    },
  };
}

export type Upstream = ReturnType<typeof createUpstream>;
