import { expect, it } from 'vitest';
import { speak } from '../support/raw-connection.ts';
import { runApi } from '../support/service-process.ts';

const ofDocs = '/api/docs/static/';
const long = 'a'.repeat(9_000);

it('paths that lead nowhere are answered 404, those that are no URL 400, and none is logged as a defect', async () => {
  const { url, output } = await runApi({ LOG_LEVEL: 'warn' });
  const statusOf = async (method: string, path: string, header = 'X: 1') => {
    const [answer] = await speak(
      url,
      `${method} ${path} HTTP/1.1\r\nHost: a\r\n${header}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer?.body).toMatchObject({ success: false, status: answer?.status });
    return [path, answer?.status, answer?.body.error.name];
  };
  const nowhere = [
    '.',
    '..',
    '../',
    '%00',
    'a%00',
    '%2e',
    '%2e%2e',
    '%2e%2e%2fpackage.json',
    '..%2f..%2fpackage.json',
  ];
  const odd = [
    '\\',
    '%5c',
    '..%5c',
    '/etc/passwd',
    '/index.css',
    'index.css/',
    'index.css/.',
    '.hidden',
    '%252e',
    long,
  ];
  for (const path of [...nowhere, ...odd]
    .map((path) => ofDocs + path)
    .concat('//etc/passwd', '/..', '/\\', `/${long}`))
    expect(await statusOf('GET', path)).toEqual([path, 404, 'ResourceNotFoundError']);
  for (const path of [`${ofDocs}%ff`, `${ofDocs}%`, '/%ff', '/%', `${ofDocs}%E0%A4%A`])
    expect(await statusOf('GET', path)).toEqual([path, 400, 'InvalidRequestError']);
  const file = `${ofDocs}index.css`;
  expect(await statusOf('GET', file, 'Range: bytes=999999-')).toEqual([
    file,
    416,
    'RangeNotSatisfiableError',
  ]);
  expect(await statusOf('GET', file, 'If-Match: "x"')).toEqual([file, 400, 'InvalidRequestError']);
  expect(output.text).toBe('');
});
