import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { lowPort } from './low-port.ts';

const monitoring = join(import.meta.dirname, '../../deploy/monitoring');
const parsed = (file: string) => parse(readFileSync(join(monitoring, file), 'utf8'));

export const isPrometheusInstalled = spawnSync('prometheus', ['--version']).error === undefined;

export interface Series {
  metric: Record<string, string>;
  value: number;
}

interface Answer {
  data?: { result: { metric: Series['metric']; value: [time: number, value: string] }[] };
  error?: string;
}

interface Rules {
  groups: { rules: { alert: string; expr: string; for: string }[] }[];
}

/** As in deploy/monitoring, but asks more often, at these ports of this machine. */
function configuration(ports: Record<string, number>, directory: string): string {
  const { scrape_configs, ...rest } = parsed('prometheus.yml');
  const [{ dns_sd_configs: _names, ...job }] = scrape_configs;
  const static_configs = Object.entries(ports).map(([service, port]) => ({
    targets: [`127.0.0.1:${port}`],
    labels: { __meta_dns_name: service },
  }));
  const authorization = { credentials_file: join(directory, 'metrics-token') };
  const global = { scrape_interval: '2s', evaluation_interval: '1s' };
  return stringify({ ...rest, global, scrape_configs: [{ ...job, authorization, static_configs }] });
}

/** As in deploy/monitoring, but alerts fire at once, and the minutes of a queue are 2 s. */
function rules(): string {
  const { groups }: Rules = parsed('alerts.yml');
  for (const rule of groups.flatMap((group) => group.rules)) {
    rule.for = '0s';
    rule.expr = rule.expr.replaceAll('> 60', '> 2');
  }
  return stringify({ groups });
}

/** A Prometheus that watches these services, as its configuration here says. Call in a test. */
export async function startPrometheus(ports: Record<string, number>, token: string) {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-prometheus-'));
  const file = (name: string, text: string) => writeFileSync(join(directory, name), text);
  file('metrics-token', token);
  file('alerts.yml', rules());
  file('prometheus.yml', configuration(ports, directory));
  const address = `127.0.0.1:${await lowPort()}`;
  const args = [
    `--config.file=${join(directory, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    `--web.listen-address=${address}`,
  ];
  const child = spawn('prometheus', args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill();
    await ended;
    rmSync(directory, { recursive: true });
  });

  /** What a query finds now; nothing while Prometheus is starting. */
  async function query(expr: string): Promise<Series[]> {
    const body = new URLSearchParams({ query: expr });
    const response = await fetch(`http://${address}/api/v1/query`, { method: 'POST', body }).catch(() => {
      if (child.exitCode !== null) throw new Error(`Prometheus has ended with ${child.exitCode}`);
    });
    if (!response || response.status === 503) return [];
    const { data, error } = (await response.json()) as Answer;
    if (!data) throw new Error(`${expr}: ${error}`);
    return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }

  return { query };
}
