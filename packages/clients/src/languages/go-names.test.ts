import { expect, it } from 'vitest';
import { goName } from './go-names.ts';

it.each([
  ['order_id', 'OrderID'],
  ['orderId', 'OrderID'],
  ['id', 'ID'],
  ['base url', 'BaseURL'],
  ['HTTPServer', 'HTTPServer'],
  ['identity', 'Identity'],
  ['ids', 'Ids'],
  ['utf8', 'UTF8'],
  ['1st', 'Field1st'],
  ['🙂', 'Field'],
])('%s is %s', (text, name) => {
  expect(goName(text, 'field')).toBe(name);
});
