import { expect, it } from 'vitest';
import { readOptions } from './options.ts';

it('goes to the default address as a new user', () => {
  expect(readOptions([])).toEqual({ url: 'http://127.0.0.1:4000', out: 'sluice-demo', quick: false });
});

it('goes to the port that Sluice was told too, but for another address', () => {
  expect(readOptions([], { PORT: '4001' })?.url).toBe('http://127.0.0.1:4001');
  expect(readOptions(['--url', 'http://sluice.example'], { PORT: '4001' })?.url).toBe(
    'http://sluice.example',
  );
});

it('takes an address with a slash at the end, and an existing user', () => {
  const argv = ['--url', 'https://sluice.example/', '--username', 'ada', '--password', 'secret'];
  expect(readOptions(argv)).toMatchObject({
    url: 'https://sluice.example',
    account: { username: 'ada', password: 'secret' },
  });
});

it.each([
  [['--url', 'localhost:4000']],
  [['--username', 'ada']],
  [['--password', 'secret']],
  [['--unknown']],
  [['word']],
])('refuses %j', (argv) => {
  expect(() => readOptions(argv)).toThrow(/--/);
});
