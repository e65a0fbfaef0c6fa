import { randomBytes } from 'node:crypto';
import type { Send } from './at-rate.ts';
import { post } from './post.ts';

const users = 8;
const password = 'correct horse';

/** Registers users. Then half of the logins are right, and the others have wrong passwords or unknown users. */
export async function logInAs(url: string): Promise<Send> {
  const mark = randomBytes(5).toString('hex');
  const name = (i: number) => `${mark}-${i % users}`;
  for (let i = 0; i < users; i++) {
    const body = JSON.stringify({ username: name(i), password, locale: 'en' });
    const { status } = await post(`${url}/api/users/register`, { body });
    if (status !== 200) throw new Error(`a registration was answered with ${status}`);
  }
  const guesses = [
    (i: number) => ({ username: name(i >> 2), password }),
    (i: number) => ({ username: name(i >> 2), password: `wrong ${i}` }),
    (i: number) => ({ username: name(i >> 2), password }),
    (i: number) => ({ username: `nobody-${i % 1_000}`, password: `wrong ${i}` }),
  ];
  return async (i, signal) => {
    const body = JSON.stringify(guesses[i % guesses.length]?.(i));
    return (await post(`${url}/api/users/login`, { body, signal })).status;
  };
}
