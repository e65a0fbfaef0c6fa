import { answer } from './answer.ts';
import { limits, outOfMemory, type Question, type Reply } from './question.ts';

/** Answers one question, and ends. What a question takes beyond DuckDB's own limit ends the process. */
setInterval(() => {
  if (process.memoryUsage.rss() > limits.residentBytes) process.exit(outOfMemory);
}, 20).unref();

process.once('disconnect', () => process.exit());
process.once('message', async (question: Question) => {
  const reply: Reply = await answer(question);
  process.send?.(reply, undefined, undefined, () => process.exit());
});
process.send?.('ready');
