import { expect, it } from 'vitest';
import { sharedSluice } from '../support/sluice.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const application = { name: 'A', type: 'web', schema: '{"type":"object"}' };

it.each([
  ['https://registry.example/sluice-client@1.2', 'https://registry.example/sluice-client@1.2'],
  ['https://registry.example', 'https://registry.example/'],
  ['HTTPS://Registry.Example:443/A?b=c#d', 'https://registry.example/A?b=c#d'],
  ['http:x', 'http://x/'],
  ['  https://a.example/b\n', 'https://a.example/b'],
  ['https://a.example/"><script>', 'https://a.example/%22%3E%3Cscript%3E'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ['https://a.example/b/../c\\d', 'https://a.example/c/d'],
])('the package URL %j of a connector is kept and shown as %j', async (package_url, normal) => {
  const connectors = [{ package_url, language: 'go' }];
  const made = await sluice.request('POST', '/applications', { token, json: { ...application, connectors } });
  const path = `/applications/${made.body.data.domain}`;
  const shown = [
    made,
    await sluice.request('GET', path, { token }),
    await sluice.request('PATCH', path, { token, json: { connectors } }),
    await sluice.request('GET', path, { token }),
  ];
  for (const { body } of shown)
    expect(body.data.connectors).toEqual([{ package_url: normal, language: 'go' }]);
  const again = { connectors: made.body.data.connectors };
  expect((await sluice.request('PUT', path, { token, json: again })).body.data.connectors).toEqual(
    again.connectors,
  );
});
