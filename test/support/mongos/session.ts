import type { Socket } from 'node:net';
import type { Document } from 'mongodb';
import { isOfState, labelsOfLost, mayHaveFailed, passedOn } from './answers.ts';
import type { Catalog } from './catalog.ts';
import type { configDatabase } from './config-database.ts';
import { Failed, failure } from './failures.ts';
import { divide, type Fate, type Faults } from './faults.ts';
import { asMongos, isHello } from './hello.ts';
import { isKnown } from './known-commands.ts';
import type { Primary } from './primary.ts';
import type { createRecord } from './record.ts';
import { mayBeUnique } from './shard-indexes.ts';
import type { Target } from './targets.ts';
import { ConnectionLost, createUpstream } from './upstream.ts';
import { answerIn, type Command, commandIn, messagesOf, writeAnswer, writeCommand } from './wire.ts';

export interface Shared {
  catalog: Catalog;
  config: ReturnType<typeof configDatabase>;
  /** Those of operators, by name. */
  sharding: Record<string, (body: Document) => Promise<Document>>;
  targetsOf(command: Command): Target[];
  record: ReturnType<typeof createRecord>;
  /** Whether a command may ask all shards. `appName`: what the client calls itself. */
  mayScatter(command: string, target: Target): boolean;
  /** Undefined while there are to be none. */
  faults(): Faults | undefined;
  primary: Primary;
  /** What the primary said when the stand-in began. */
  hello: Document;
}

/** What a product calls itself: faults are for these clients, and refusals of commands that ask all shards. */
const ofSluice = /^sluice-/;

/** Serves one connection of a client until it ends. */
export async function serve(client: Socket, shared: Shared): Promise<void> {
  const { catalog, config, sharding } = shared;
  let greeting: Buffer | undefined;
  let appName = '';
  const upstream = createUpstream({ primary: shared.primary, greeting: () => greeting });
  client.setNoDelay(true);
  client.on('error', () => {}).on('close', upstream.close);

  /** The primary hears of the client when it is asked something. */
  function greet({ name, body }: Command, message: Buffer): Document {
    if (body.client) {
      greeting = message;
      appName = body.client.application?.name ?? '';
    }
    return asMongos(name, shared.hello);
  }

  async function forward(command: Command, message: Buffer): Promise<Buffer> {
    try {
      return await upstream.ask(message);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      throw new Failed(6, 'the shard did not answer', labelsOfLost(command));
    }
  }

  async function afterwards(command: Command, message: Buffer): Promise<Buffer> {
    const answer = await forward(command, message);
    const { name, db, body } = command;
    if (name === 'drop') catalog.drop(`${db}.${body.drop}`);
    if (name === 'dropDatabase') catalog.dropDatabase(db);
    if (!mayHaveFailed(answer)) return answer;
    const found = answerIn(answer);
    // The next command looks for the primary again.
    if (isOfState(found)) {
      shared.primary.forget();
      upstream.close();
    }
    return writeAnswer(command, passedOn(found));
  }

  async function suffer(fate: Fate, command: Command, message: Buffer): Promise<Buffer | undefined> {
    if (fate.kind === 'refused') return writeAnswer(command, fate.answer);
    if (fate.kind === 'cut') {
      if (fate.isDone) await afterwards(command, message);
      client.destroy();
      return undefined;
    }
    const { sequence } = command;
    if (fate.kind === 'partly' && sequence) {
      const random = shared.faults()?.random ?? Math.random;
      const divided = divide(sequence, random);
      if (divided.sequence.documents.length === 0)
        divided.sequence.documents.push(sequence.documents[0] as Buffer);
      const answer = await forward(command, writeCommand({ ...command, sequence: divided.sequence }));
      return writeAnswer(command, divided.answerFor(passedOn(answerIn(answer))));
    }
    const answer = await afterwards(command, message);
    if (fate.kind === 'unanswered') return writeAnswer(command, fate.answer);
    const writeConcernError = { code: 64, codeName: 'WriteConcernFailed', errmsg: 'a fault of the stand-in' };
    return writeAnswer(command, { ...answerIn(answer), writeConcernError });
  }

  function refuseUnique({ db, name, body }: Command): void {
    const sharded = name === 'createIndexes' && catalog.of(`${db}.${body[name]}`);
    for (const { unique, key } of sharded ? body.indexes : [])
      if (sharded && unique && !mayBeUnique(key, sharded.key))
        throw new Failed(
          67,
          `cannot create unique index over ${JSON.stringify(key)} with shard key pattern ${JSON.stringify(sharded.key)}`,
        );
  }

  function look(command: Command): void {
    for (const target of shared.targetsOf(command)) {
      if (!ofSluice.test(appName)) continue;
      shared.record.add(command.name, target);
      if (!target.isNamed && !shared.mayScatter(command.name, target))
        throw new Failed(
          61,
          `${command.name} on ${target.sharded.ns} by "${target.shape}" names no range of ${JSON.stringify(target.sharded.key)}: it asks all shards`,
        );
    }
  }

  async function answerTo(command: Command, message: Buffer): Promise<Buffer | undefined> {
    const { name, db, body } = command;
    if (isHello(name)) return writeAnswer(command, greet(command, message));
    const ofOperator = db === 'admin' ? sharding[name] : undefined;
    if (ofOperator) return writeAnswer(command, await ofOperator(body));
    if (!isKnown(name)) throw new Failed(59, `no such command: '${name}'`);
    if (db === 'local') throw new Failed(20, "Can't use 'local' database through mongos");
    if (db === 'config') {
      await config.update();
      return forward(command, writeCommand({ ...command, body: { ...body, $db: config.name } }));
    }
    refuseUnique(command);
    look(command);
    const fate = ofSluice.test(appName) ? shared.faults()?.strike(command) : undefined;
    return fate ? suffer(fate, command, message) : afterwards(command, message);
  }

  for await (const message of messagesOf(client)) {
    const command = commandIn(message);
    if (!command.wantsAnswer) {
      await upstream.tell(message).catch(() => {});
      continue;
    }
    const answer = await answerTo(command, message).catch((error) =>
      writeAnswer(command, error instanceof Failed ? error.answer : failure(96, String(error))),
    );
    if (answer) client.write(answer);
  }
}
