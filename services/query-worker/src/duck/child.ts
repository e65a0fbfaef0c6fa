import { answer } from './answer.ts';
import { limits, type Question, type Reply } from './question.ts';

/** At once: an exit would wait for DuckDB's threads. */
const end = () => process.kill(process.pid, 'SIGKILL');

/** Answers one question, and is then killed. What it takes beyond DuckDB's own limit ends it. */
setInterval(() => {
  if (process.memoryUsage.rss() > limits.residentBytes) end();
}, 20).unref();

process.once('disconnect', end);
process.once('message', async (question: Question) => {
  const reply: Reply = await answer(question);
  process.send?.(reply);
});
process.send?.('ready');
