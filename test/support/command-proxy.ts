import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { BSON, type Document } from 'mongodb';

// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
const [operationAt, sectionAt, documentAt] = [12, 20, 21];
const [opMsg, bodySection] = [2013, 0];

/** The command in a message; undefined in those of another kind. What is written in sequences beside it is left out. */
function commandIn(message: Buffer): Document | undefined {
  if (message.readInt32LE(operationAt) !== opMsg || message[sectionAt] !== bodySection) return undefined;
  const length = message.readInt32LE(documentAt);
  return BSON.deserialize(message.subarray(documentAt, documentAt + length));
}

/** A TCP proxy on 127.0.0.1 in front of MongoDB that keeps every command its clients send. */
export async function createCommandProxy(target: { host: string; port: number }) {
  const commands: Document[] = [];
  const server = createServer((client) => {
    const upstream = connect(target);
    let rest = Buffer.alloc(0);
    client.on('data', (chunk) => {
      upstream.write(chunk);
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        const command = commandIn(message);
        if (command) commands.push(command);
      }
    });
    upstream.pipe(client);
    client.on('error', () => {}).on('close', () => upstream.destroy());
    upstream.on('error', () => {}).on('close', () => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    commands,
    close: () => void server.close(),
  };
}
