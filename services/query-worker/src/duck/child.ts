import { flushCompileCache } from 'node:module';
import { answer } from './answer.ts';
import { type AskKind, type AskMessage, type Asks, limits, type Reply } from './ask.ts';
import { answerCounts, answerFields } from './fields/fields.ts';
import { findPage } from './find-page.ts';
import { sortPage } from './sort-page.ts';

type Answerers = { [K in AskKind]: (asked: Asks[K]['asked']) => Promise<Reply<Asks[K]['answer']>> };

const answerers: Answerers = {
  question: answer,
  page: findPage,
  sorted: sortPage,
  fields: answerFields,
  counts: answerCounts,
};

/** At once: an exit would wait for DuckDB's threads. */
const end = () => process.kill(process.pid, 'SIGKILL');

/** Answers what it is asked once, and is then killed. What it takes beyond DuckDB's own limit ends it. */
setInterval(() => {
  if (process.memoryUsage.rss() > limits.residentBytes) end();
}, 20).unref();

process.once('disconnect', end);
process.once('message', async ({ kind, ...asked }: AskMessage) => {
  process.send?.(await answerers[kind](asked as never));
});
process.send?.('ready');
// A killed process would keep nothing for the next ones.
flushCompileCache();
