import { expect, it } from 'vitest';
import { lastMessage } from './last-message.ts';

const stack = `/srv/main.ts:3
throw new Error('no such port');
^

TypeError [ERR_SOCKET_BAD_PORT]: no such port
    at main (/srv/main.ts:3:7) {
  code: 'ERR_SOCKET_BAD_PORT'
}

Node.js v24.0.0
`;

it.each([
  [
    'lines for people',
    'noise\nsluice api: A is not set\nsluice api: B is not set\n',
    'A is not set; B is not set',
  ],
  ['a fatal log line', '{"level":60,"msg":"no store"}\n{"level":30,"msg":"bye"}\n', 'no store'],
  ['its cause', '{"level":60,"msg":"crashed","err":{"message":"a\\n  b"}}', 'crashed: a; b'],
  ['an uncaught error', stack, 'no such port'],
  ['the last line when nothing is marked', 'one\ntwo\n', 'two'],
  ['nothing', '\n', undefined],
])('finds %s', (_, output, message) => {
  expect(lastMessage(output)).toBe(message);
});
