import type { Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
const headerBytes = 16;
const [opReply, opQuery, opMsg] = [1, 2004, 2013];
const [checksumPresent, moreToCome] = [1, 2];
const [bodySection, sequenceSection] = [0, 1];

export interface Sequence {
  name: string;
  documents: Buffer[];
}

/** A command of a client. OP_QUERY is used for the first `hello` of a connection alone. */
export interface Command {
  name: string;
  db: string;
  body: Document;
  sequence: Sequence | undefined;
  requestId: number;
  isQuery: boolean;
  wantsAnswer: boolean;
}

/** The messages that a socket receives, until it ends. */
export async function* messagesOf(socket: Socket): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
}

// Longs stay as they are: a transaction's number must be one also in a command that is written anew.
const read = (bytes: Buffer) => BSON.deserialize(bytes, { promoteLongs: false });

function queryIn(message: Buffer): Command {
  const name = message.indexOf(0, headerBytes + 4);
  const at = name + 9;
  const body = read(message.subarray(at, at + message.readInt32LE(at)));
  const db = message.toString('utf8', headerBytes + 4, name).replace(/\.\$cmd$/, '');
  return toCommand(message, { ...body, $db: db }, undefined, true);
}

function toCommand(
  message: Buffer,
  body: Document,
  sequence: Sequence | undefined,
  isQuery = false,
): Command {
  const isSilent = !isQuery && (message.readInt32LE(headerBytes) & moreToCome) !== 0;
  const [name = ''] = Object.keys(body);
  const common = { requestId: message.readInt32LE(4), isQuery, wantsAnswer: !isSilent };
  return { ...common, name, db: String(body.$db), body, sequence };
}

export function commandIn(message: Buffer): Command {
  const operation = message.readInt32LE(12);
  if (operation === opQuery) return queryIn(message);
  if (operation !== opMsg) throw new Error(`no command: operation ${operation}`);
  const hasChecksum = (message.readInt32LE(headerBytes) & checksumPresent) !== 0;
  const end = message.length - (hasChecksum ? 4 : 0);
  let body: Document = {};
  let sequence: Sequence | undefined;
  for (let at = headerBytes + 4; at < end; ) {
    const kind = message[at] as number;
    const length = message.readInt32LE(at + 1);
    const section = message.subarray(at + 1, at + 1 + length);
    if (kind === bodySection) body = read(section);
    else if (kind === sequenceSection) sequence = sequenceIn(section);
    else throw new Error(`unknown section ${kind}`);
    at += 1 + length;
  }
  return toCommand(message, body, sequence);
}

function sequenceIn(section: Buffer): Sequence {
  const nameEnd = section.indexOf(0, 4);
  const documents: Buffer[] = [];
  for (let at = nameEnd + 1; at < section.length; ) {
    const length = section.readInt32LE(at);
    documents.push(section.subarray(at, at + length));
    at += length;
  }
  return { name: section.toString('utf8', 4, nameEnd), documents };
}

let lastId = 0;

function framed(
  operation: number,
  ids: { request?: number; responseTo?: number },
  parts: Uint8Array[],
): Buffer {
  const header = Buffer.alloc(headerBytes);
  const length = parts.reduce((sum, part) => sum + part.length, headerBytes);
  lastId = (lastId + 1) % 2 ** 31;
  const fields = [length, ids.request ?? lastId, ids.responseTo ?? 0, operation];
  for (const [i, value] of fields.entries()) header.writeInt32LE(value, 4 * i);
  return Buffer.concat([header, ...parts]);
}

/** A command as a message, with the id that it had. */
export function writeCommand({ body, sequence, requestId: request }: Command): Buffer {
  const flags = Buffer.alloc(4);
  const parts = [flags, Buffer.of(bodySection), BSON.serialize(body)];
  if (!sequence) return framed(opMsg, { request }, parts);
  const content = Buffer.concat([Buffer.from(`${sequence.name}\0`), ...sequence.documents]);
  const size = Buffer.alloc(4);
  size.writeInt32LE(content.length + 4);
  return framed(opMsg, { request }, [...parts, Buffer.of(sequenceSection), size, content]);
}

/** The answer to a command, in the form that the client expects. */
export function writeAnswer({ isQuery, requestId: responseTo }: Command, document: Document): Buffer {
  const bytes = BSON.serialize(document);
  if (!isQuery) return framed(opMsg, { responseTo }, [Buffer.alloc(4), Buffer.of(bodySection), bytes]);
  const beginning = Buffer.alloc(20);
  beginning.writeInt32LE(1, 16);
  return framed(opReply, { responseTo }, [beginning, bytes]);
}

/** The document of an answer. */
export function answerIn(message: Buffer): Document {
  const at = headerBytes + (message.readInt32LE(12) === opReply ? 20 : 5);
  return read(message.subarray(at, at + message.readInt32LE(at)));
}
