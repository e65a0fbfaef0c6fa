import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

/** Listens for a moment. Resolves with the port, or rejects like `listen`. */
function tryPort(port: number, host: string): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const bound = (server.address() as { port: number }).port;
      server.close(() => resolve(bound));
    });
  });
}

/** `preferred` if nothing listens there on 127.0.0.1, else any free port. */
export async function freePort(preferred = 0): Promise<number> {
  return tryPort(preferred, '127.0.0.1').catch(() => tryPort(0, '127.0.0.1'));
}

/** The port for the API. Throws StartError if it is taken or not allowed. */
export async function checkPort(port: number, host: string): Promise<number> {
  try {
    return await tryPort(port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      const other = port > 60_000 ? 4001 : port + 1;
      throw new StartError(`port ${port} is taken; choose another: PORT=${other} npm start`);
    }
    if (code === 'EACCES') {
      throw new StartError(`port ${port} needs more rights; choose another: PORT=4001 npm start`);
    }
    throw new StartError(`cannot listen on HOST=${host} PORT=${port} (${code})`);
  }
}
