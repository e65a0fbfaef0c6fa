import { randomBytes } from 'node:crypto';
import slugify from 'slugify';

const longest = 20;

/** Usernames like the name at the provider, such as `ada@example.com`, until one is free. They do not end. */
export function* namesLike(name = ''): Generator<string> {
  const slug = slugify((name.split('@')[0] as string).slice(0, 200), { remove: /[^\w\s.-]/g });
  const base = slug.length < 3 ? 'user' : slug.slice(0, longest).replace(/(?<=.{3})[.-]+$/, '');
  yield base;
  for (let number = 2; number < 10; number++) yield `${base.slice(0, longest - 2)}-${number}`;
  for (;;) yield `${base.slice(0, longest - 9)}-${randomBytes(4).toString('hex')}`;
}
