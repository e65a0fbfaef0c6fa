import { execFile, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { type Resource, writeSchemas } from './kubernetes-schemas.ts';

const actionlint = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';
const kubeconform = 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0';
const kustomize = 'sigs.k8s.io/kustomize/kustomize/v5@v5.7.1';

const cwd = join(import.meta.dirname, '..');
const secrets = { JWT_SECRET: 'checked', JWT_SECRET_FILE: './checked' };
const options = { cwd, env: { ...process.env, ...secrets }, maxBuffer: 64 * 1024 ** 2 };

/** Resolves with the output of a program; rejects with it if the program fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr || message}`);
  }
}

/** Runs a program of Go. The proxy of modules may be away for a moment, so it is tried twice. */
const runGo = (...args: string[]) => run('go', 'run', ...args).catch(() => run('go', 'run', ...args));

const isInstalled = (program: string) =>
  spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined;

/** Each overlay of docker-compose.yml, and all of them together. */
async function checkCompose(): Promise<void> {
  const more = globSync('deploy/*/docker-compose.yml', { cwd });
  for (const files of [[], ...more.map((file) => [file]), more]) {
    const named = ['docker-compose.yml', ...files].flatMap((file) => ['-f', file]);
    await run(
      'docker',
      'compose',
      '--env-file',
      '/dev/null',
      ...named,
      '--profile',
      '*',
      'config',
      '--quiet',
    );
  }
}

/** Builds a folder with kustomize. The kustomize in kubectl needs no minute of compiling. */
const build = (folder: string) =>
  isInstalled('kubectl') ? run('kubectl', 'kustomize', folder) : runGo(kustomize, 'build', folder);

async function checkManifests(example: string): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-schemas-'));
  try {
    const built = await build(`deploy/kubernetes/${example}`);
    const manifests = join(dir, 'manifests.yaml');
    writeFileSync(manifests, built);
    const resources: Resource[] = parseAllDocuments(built).map((document) => document.toJS());
    writeSchemas(dir, resources);
    const location = join(dir, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
    await runGo(kubeconform, '-strict', '-schema-location', location, manifests);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Checks the configuration of Prometheus, and runs the tests of the alerts. */
async function checkMonitoring(): Promise<void> {
  // The container creates the file with the token when it starts.
  await run('promtool', 'check', 'config', '--syntax-only', 'deploy/monitoring/prometheus.yml');
  await run('promtool', 'check', 'rules', 'deploy/monitoring/alerts.yml');
  await run('promtool', 'test', 'rules', 'deploy/monitoring/alerts.test.yml');
}

interface Check {
  name: string;
  what: string;
  /** Required programs. Without them the check is skipped; under CI that is a failure, unless it is optional. */
  needs: string[];
  isOptional?: boolean;
  check(): Promise<unknown>;
}

const checks: Check[] = [
  { name: 'compose', what: 'compose files', needs: ['docker'], check: checkCompose },
  {
    name: 'kubernetes',
    what: 'manifests of Kubernetes',
    needs: ['go', 'python3'],
    async check() {
      for (const example of ['example', 'example-bucket']) await checkManifests(example);
    },
  },
  { name: 'alerts', what: 'alerts', needs: ['promtool'], check: checkMonitoring },
  { name: 'workflows', what: 'workflows', needs: ['go'], check: () => runGo(actionlint) },
  {
    name: 'scripts',
    what: 'shell scripts',
    needs: ['shellcheck'],
    isOptional: true,
    check: () =>
      run(
        'shellcheck',
        ...['-x', '-P', 'SCRIPTDIR', '.ci/run'],
        ...globSync(['deploy/**/*.sh', 'examples/**/*.sh'], { cwd }),
      ),
  },
];

async function report({ what, needs, check, isOptional }: Check): Promise<void> {
  const missing = needs.filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    console.log(`NOTICE: the ${what} are not checked, for there is no ${missing.join(' and no ')}`);
    if (process.env.CI === 'true' && !isOptional) process.exitCode = 1;
    return;
  }
  try {
    await check();
    console.log(`check-deploy: the ${what} are right`);
  } catch (error) {
    console.error(`error: the ${what} are wrong: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

/** The named checks, or all. */
const wanted = process.argv.slice(2);
await Promise.all(checks.filter(({ name }) => wanted.length === 0 || wanted.includes(name)).map(report));
