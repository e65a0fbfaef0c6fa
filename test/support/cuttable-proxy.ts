import { connect, createServer, type Server, type Socket } from 'node:net';

export type CuttableProxy = Awaited<ReturnType<typeof createCuttableProxy>>;

/** What is to happen in place of the command, or of the answer, when a client sends a text. */
interface Trap {
  text: string;
  instead: 'command' | 'answer';
  /** How often it is still to happen. */
  left: number;
  /** How often the text goes through before. */
  passes?: number;
  /** `arrive`: lets the command go through. */
  spring(client: Socket, arrive: () => void): void;
}

// Below the ports that systems give to outgoing connections: one of those could take the port while it is cut.
const [lowest, count] = [20_000, 10_000];

/** A TCP proxy on 127.0.0.1 in front of `target`, a server that is to seem down, or mute. */
export async function createCuttableProxy(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  let stalled = false;
  let trap: Trap | undefined;
  let held: (() => void)[] = [];
  let server: Server | undefined;
  const port = await firstFree();

  function accept(client: Socket): void {
    const upstream = connect(target);
    let seen = Buffer.alloc(0);
    let atAnswer: Trap | undefined;

    /** The trap whose text is in what has been sent, also when it came in pieces. */
    function sprungBy(chunk: Buffer): Trap | undefined {
      if (!trap || trap.left === 0) return undefined;
      seen = Buffer.concat([seen, chunk]);
      const isFound = seen.includes(trap.text);
      seen = isFound ? Buffer.alloc(0) : seen.subarray(-Buffer.byteLength(trap.text));
      if (!isFound) return undefined;
      if (trap.passes) {
        trap.passes -= 1;
        return undefined;
      }
      trap.left -= 1;
      return trap;
    }

    function toUpstream(chunk: Buffer): void {
      const sprung = sprungBy(chunk);
      if (sprung?.instead === 'command') sprung.spring(client, () => upstream.write(chunk));
      else {
        atAnswer ??= sprung;
        upstream.write(chunk);
      }
    }

    client.on('data', toUpstream);
    upstream.on('data', (chunk) => (atAnswer ? atAnswer.spring(client, () => {}) : client.write(chunk)));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
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
    held = [];
    const closing = server;
    server = undefined;
    const closed = new Promise<void>((resolve) => (closing ? closing.close(() => resolve()) : resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  function stall(): void {
    stalled = true;
    for (const socket of sockets) socket.pause();
  }

  function setTrap(next: Trap): { left: number } {
    trap = next;
    return next;
  }

  return {
    host: '127.0.0.1',
    port,
    cut,
    close: cut,
    /** Accepts connections and forwards nothing, either way, also on those that are open. */
    stall,
    /** When a client sends `text`, after so many that pass: it is held back, and all is as after `stall`. */
    stallWhenSent: (text: string, passes = 0) =>
      setTrap({
        text,
        instead: 'command',
        left: 1,
        passes,
        spring: (_client, arrive) => {
          held.push(arrive);
          stall();
        },
      }),
    /** When a client sends `text`, after so many that pass: it does not arrive, and all is as after `cut`. */
    cutWhenSent: (text: string, passes = 0) =>
      setTrap({ text, instead: 'command', left: 1, passes, spring: () => void cut() }),
    /** When a client sends `text`: it arrives, and in place of the answer all is as after `cut`. */
    cutWhenAnswered: (text: string) =>
      setTrap({ text, instead: 'answer', left: 1, spring: () => void cut() }),
    /** When a client sends `text`, so often: it arrives, but its connection ends in place of the answer. */
    loseAnswerTo: (text: string, times = 1) =>
      setTrap({ text, instead: 'answer', left: times, spring: (client) => client.destroy() }),
    /** Forwards again, after `cut` at the same port, after `stall` with what was held back. */
    async restore(): Promise<void> {
      stalled = false;
      for (const arrive of held.splice(0)) arrive();
      for (const socket of sockets) socket.resume();
      if (!server) await listen(port);
    },
  };
}
