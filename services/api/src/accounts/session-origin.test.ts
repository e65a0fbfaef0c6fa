import { expect, it } from 'vitest';
import { browserOf, networkOf } from './session-origin.ts';

it.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['::ffff:192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['fe80::1%eth0', 'fe80::/48'],
  ['::1', '::/48'],
  ['a proxy sends this', 'unknown'],
  ['', 'unknown'],
])('the network of %j is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/144.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/144.0.0.0 Safari/537.36 Edg/144.0.0.0',
    'Microsoft Edge on macOS',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['x'.repeat(100_000), 'x'.repeat(60)],
  [' ', 'unknown'],
  [undefined, 'unknown'],
])('the browser of %.30s is %s', (userAgent, browser) => {
  expect(browserOf(userAgent)).toBe(browser);
});
