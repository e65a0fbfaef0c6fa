import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP proxy on 127.0.0.1 that breaks each connection after so many bytes from the client, as often as told. Call in a test. */
export async function createCuttingProxy(target: string, cuts: { after: number; times: number }) {
  const { hostname: host, port } = new URL(target);
  const sockets = new Set<Socket>();
  let left = cuts.times;
  let sent = 0;
  const server = createServer((client) => {
    const upstream = connect({ host, port: Number(port) });
    let own = 0;
    client.on('data', (bytes) => {
      own += bytes.length;
      sent += bytes.length;
      if (left > 0 && own >= cuts.after) {
        left -= 1;
        client.destroy();
        return;
      }
      if (!upstream.write(bytes)) client.pause();
    });
    upstream.on('drain', () => client.resume());
    upstream.on('data', (bytes) => client.write(bytes));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Bytes that the client has sent, with those that were lost. */
    sent: () => sent,
    /** Cuts that are still to come. */
    left: () => left,
  };
}
