import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { inherited } from '../../local/env.ts';
import type { Bench, Server } from './bench.ts';
import { startServer } from './server.ts';

/** The URL for uploads. */
export interface Uploads {
  name: string;
  url: string;
  pid: number;
  /** The collection for uploads, if it stores them. */
  database?: string;
  /** Ends its process. */
  stop(): Promise<void>;
}

const folder = join(import.meta.dirname, '..', 'contestants');

function start(bench: Bench, name: string, args: string[], ready?: (server: Server) => Promise<void>) {
  return startServer(bench, {
    name,
    entry: join(folder, `${name}.ts`),
    args: (port) => (ready ? args : [String(port), ...args]),
    env: inherited,
    ready: ready ?? listens,
  });
}

async function listens({ url }: Server): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

async function startUploads(bench: Bench, name: string, ...args: string[]): Promise<Uploads> {
  const { url, pid, stop } = await start(bench, name, args);
  return { name, pid, stop, url: `${url}/api/applications/bench/data` };
}

export const startNodeHttp = (bench: Bench) => startUploads(bench, 'node-http');
export const startFastifyAjv = (bench: Bench, schema: string) => startUploads(bench, 'fastify-ajv', schema);
export const startFastifyBytes = (bench: Bench, schema: string) =>
  startUploads(bench, 'fastify-bytes', schema);

export const startInsertOne = (bench: Bench, schema: string) => startStoring(bench, 'insert-one', schema);
export const startGroupCommit = (bench: Bench, schema: string) =>
  startStoring(bench, 'fastify-group-commit', schema);

async function startStoring(bench: Bench, name: string, schema: string): Promise<Uploads> {
  const database = `bench_${name.replaceAll('-', '_')}`;
  const uploads = await startUploads(bench, name, schema, bench.databaseUrl(database));
  return { ...uploads, database };
}

/** The place of an application's entries. */
export interface Filled {
  database: string;
  /** The application's id in hexadecimal digits. */
  application: string;
}

export interface Whole {
  entries: number;
  seconds: number;
  /** Processor time of the reader in seconds: an export's is that of the worker. */
  cpu?: number;
}

const readers = { 'raw cursor': 'read-raw', 'csv-stringify': 'csv-pipe' };
export type Reader = keyof typeof readers;

/** Returns a function that reads the application once. */
export async function startReader(bench: Bench, name: Reader, { database, application }: Filled) {
  const server = await start(
    bench,
    readers[name],
    [bench.databaseUrl(database), application],
    async () => {},
  );
  return () => server.ask<Whole>('read');
}

/** Returns a function that inserts a number of documents with the payloads of a file. */
export async function startInsertAll(bench: Bench, lines: string, database = 'bench_insert_all') {
  const url = bench.databaseUrl(database);
  const server = await start(bench, 'insert-all', [url, lines], async () => {});
  return (count: number) => server.ask<Whole>(count);
}

/** Returns a function that inserts for some seconds and resolves with documents per second. */
export async function startInsertMany(bench: Bench, lines: string) {
  const url = bench.databaseUrl('bench_insert_many');
  const server = await start(bench, 'insert-many', [url, lines], async () => {});
  return (seconds: number) => server.ask<number>(seconds);
}
