import { Command } from 'commander';
import { expect, it } from 'vitest';
import { nameOptions } from './name-options.ts';

const command = new Command().option('--bucket <b>').option('--refused-limit <n>').option('--key <k>');

it.each([
  ['body/to/bucket must be a name that S3 allows', '--bucket must be a name that S3 allows'],
  ['body/refused/limit must be <= 10', '--refused-limit must be <= 10'],
  ['body/key/0 is wrong', '0 of --key is wrong'],
  ['querystring/key is wrong, body/bucket too', '--key is wrong, --bucket too'],
  ['body/to/secret_access_key must be printable', 'secret access key must be printable'],
  ['body/to/kind folder is not possible here', 'folder is not possible here'],
  ['body/to cannot change', 'cannot change'],
  ['the body is no JSON', 'the body is no JSON'],
])('%s: %s', (message, said) => {
  expect(nameOptions(message, command)).toBe(said);
});
