import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** The strong tag of a file that is made whole. */
export const etagOf = (content: string | Buffer): string =>
  `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"`;

/** Whether a list has one of these tags, or is `*`. */
const hasAny = (list: string, tags: string[]): boolean =>
  list.split(',').some((each) => [...tags, '*'].includes(each.trim()));

/** Whether `If-Match` allows this strong tag. Weak tags do not count. */
export const isMatched = ({ headers }: FastifyRequest, tag: string): boolean =>
  hasAny(headers['if-match'] ?? '*', [tag]);

/** Whether `If-None-Match` names this tag. Weak tags count too. */
export const isNamedIn = (list: string, tag: string): boolean => hasAny(list, [tag, `W/${tag}`]);

/** Whether the client has what this tag names, so that the answer is a 304. */
export const isKnown = ({ headers }: FastifyRequest, tag: string): boolean =>
  isNamedIn(headers['if-none-match'] ?? '', tag);
