import { connect } from 'node:net';

/** Sends one command without arguments on a new connection. Resolves with the raw answer. */
export function redisCommand(url: string, command: 'PING' | 'INFO'): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port || 6379) });
    let answer = '';
    socket.setTimeout(2_000, () => socket.destroy(new Error('redis does not answer')));
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(answer));
    // After QUIT the server closes the connection, which marks the end of the answer.
    socket.write(`${command}\r\nQUIT\r\n`);
  });
}
