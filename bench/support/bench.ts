import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { Children } from '../../local/children.ts';
import type { Options } from '../options.ts';
import { findGenerator } from './find-generator.ts';
import type { Generator } from './generator.ts';

export interface Server {
  name: string;
  /** `http://127.0.0.1:port` */
  url: string;
  pid: number;
  /** The output of the server. */
  output(): string;
  /** Sends a message over the channel of the process. Resolves with its next message. */
  ask<T>(message: unknown): Promise<T>;
  stop(): Promise<void>;
}

export interface Bench {
  options: Options;
  /** The folder of this run, for logs and bodies. */
  dir: string;
  children: Children;
  generator: Generator;
  mongodb: MongoClient;
  redisUrl: string;
  jwtSecret: string;
  /** The servers of the current part, which stop at its end. */
  servers: Set<Server>;
  say(line: string): void;
  /** Writes a file into the folder of the run; returns its path. */
  write(name: string, content: string): string;
  /** Names a database, which is dropped at the end of the part; returns its URL. */
  databaseUrl(name: string): string;
  /** Stops the servers of a part and drops its databases. */
  endPart(): Promise<void>;
}

interface Given {
  options: Options;
  dir: string;
  children: Children;
  mongodbUrl: string;
  redisUrl: string;
}

export async function openBench(given: Given): Promise<Bench> {
  const { options, dir, children, mongodbUrl, redisUrl } = given;
  const mongodb = new MongoClient(mongodbUrl);
  const servers = new Set<Server>();
  const databases = new Set<string>();
  return {
    options,
    dir,
    children,
    mongodb,
    redisUrl,
    servers,
    generator: await findGenerator(children),
    jwtSecret: randomBytes(32).toString('hex'),
    say: (line) => console.log(line),
    write(name, content) {
      const path = join(dir, name);
      writeFileSync(path, content);
      return path;
    },
    databaseUrl(name) {
      databases.add(name);
      const url = new URL(mongodbUrl);
      url.pathname = `/${name}`;
      return url.href;
    },
    async endPart() {
      await Promise.all([...servers].map((server) => server.stop()));
      for (const name of databases) await mongodb.db(name).dropDatabase();
      databases.clear();
    },
  };
}
