import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { freePort } from '../../local/ports.ts';

/** Below those that systems give to outgoing connections: one of these could take a port until it is used. */
const [first, count] = [20_000, 10_000];

/** Takes the UDP port of the same number until this process ends. False: another run of tests has it. */
function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  socket.bind(port, '127.0.0.1');
  return once(socket, 'listening').then(
    () => true,
    () => {
      socket.close();
      return false;
    },
  );
}

/** A free port. No other run of tests gets it, also while the API that listens there is killed. */
export async function lowPort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    if ((await reserve(port)) && (await freePort(port)) === port) return port;
  }
}
