import { connect, createServer, type Server, type Socket } from 'node:net';

export type CuttableProxy = Awaited<ReturnType<typeof createCuttableProxy>>;

// Below the ports that systems give to outgoing connections: one of those could take the port while it is cut.
const [lowest, count] = [20_000, 10_000];

/** A TCP proxy on 127.0.0.1 in front of `target`, a server that is to seem down, or mute. */
export async function createCuttableProxy(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  let stalled = false;
  let server: Server | undefined;
  const port = await firstFree();

  function accept(client: Socket): void {
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (stalled) from.pause();
    }
  }

  async function listen(onPort: number): Promise<void> {
    const listening = createServer(accept);
    await new Promise<void>((resolve, reject) => {
      listening.once('error', reject);
      listening.listen(onPort, '127.0.0.1', resolve);
    });
    server = listening;
  }

  async function firstFree(): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const candidate = lowest + Math.floor(Math.random() * count);
      try {
        await listen(candidate);
        return candidate;
      } catch (error) {
        if (attempt === 20) throw error;
      }
    }
  }

  /** Ends all connections and refuses new ones. */
  async function cut(): Promise<void> {
    const closing = server;
    server = undefined;
    const closed = new Promise<void>((resolve) => (closing ? closing.close(() => resolve()) : resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  return {
    host: '127.0.0.1',
    port,
    cut,
    close: cut,
    /** Accepts connections and forwards nothing, either way, also on those that are open. */
    stall(): void {
      stalled = true;
      for (const socket of sockets) socket.pause();
    },
    /** Forwards again, after `cut` at the same port, after `stall` with what was held back. */
    async restore(): Promise<void> {
      stalled = false;
      for (const socket of sockets) socket.resume();
      if (!server) await listen(port);
    },
  };
}
