import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Statuses } from './at-rate.ts';

const dripEveryMs = 500;

const head = 'POST /api/applications/nobody-aaaaaa/data HTTP/1.1\r\nHost: x\r\n';
const beginnings = [head, `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"a":"`];
const drips = ['X-A: b\r\n', 'x'];

/** Keeps connections open, half with endless headers, half with endless bodies. Replaces closed connections. */
export async function slowSockets(url: string, count: number, seconds: number): Promise<Statuses> {
  const { hostname, port } = new URL(url);
  const statuses: Statuses = { opened: 0 };
  const open = new Set<Socket>();
  let isOver = false;

  function begin(i: number): void {
    if (isOver) return;
    const kind = i % 2;
    const socket = connect(Number(port), hostname, () => socket.write(beginnings[kind] as string));
    open.add(socket);
    statuses.opened = (statuses.opened ?? 0) + 1;
    let answer = '';
    const drip = setInterval(() => socket.write(drips[kind] as string), dripEveryMs);
    socket.on('data', (data) => {
      answer += data;
    });
    // The server ends a connection by the end of its answer, or by 'close'.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(drip);
      open.delete(socket);
      const status = isOver ? 'held to the end' : (answer.split(' ')[1] ?? 'cut off');
      statuses[status] = (statuses[status] ?? 0) + 1;
      setTimeout(() => begin(i), 100).unref();
    });
  }

  for (let i = 0; i < count; i++) begin(i);
  await pause(1_000 * seconds);
  isOver = true;
  for (const socket of open) socket.destroy();
  await pause(200);
  return statuses;
}
