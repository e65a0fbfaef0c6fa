import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { version } from '../packages/shared/src/version.ts';
import { writeSbom } from './sbom.ts';

interface Component {
  /** The scope of a package. */
  group?: string;
  name: string;
  version: string;
  licenses?: object[];
}

function sbom(): { metadata: { component: Component }; components: Component[] } {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-sbom-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeSbom(join(dir, 'sbom.cdx.json'));
  return JSON.parse(readFileSync(join(dir, 'sbom.cdx.json'), 'utf8'));
}

/** The version that a service or package installs. */
function locked(importer: string, name: string): string {
  const lockfile = parse(readFileSync(join(import.meta.dirname, '../pnpm-lock.yaml'), 'utf8'));
  return lockfile.importers[importer].dependencies[name].version.split('(')[0];
}

it('lists what the image installs, with versions and licences, and nothing of the tests', () => {
  const { metadata, components } = sbom();
  expect(metadata.component).toMatchObject({ name: 'sluice', version: version() });
  const versions = (name: string) =>
    components.filter((each) => !each.group && each.name === name).map((each) => each.version);
  expect(versions('fastify')).toEqual([locked('services/api', 'fastify')]);
  expect(versions('mongodb')).toEqual([locked('packages/store', 'mongodb')]);
  expect(versions('bullmq')).toEqual([locked('packages/jobs', 'bullmq')]);
  expect([...versions('vitest'), ...versions('typescript')]).toEqual([]);
  expect(components.filter(({ licenses }) => !licenses)).toEqual([]);
});
