import { readFileSync, writeFileSync } from 'node:fs';
import { type CapacityLimit, capacities, quotas, rates, sharePerClient } from '@sluice/api/limits/table.ts';
import { fileSetting } from '@sluice/shared/config/secret-files.ts';
import { groups } from '@sluice/shared/config/variables.ts';
import { type MetricDefinition, metricTable } from '@sluice/shared/metrics/table.ts';

const page = new URL('../docs/reference.md', import.meta.url);

interface Setting {
  default?: unknown;
  /** The default as text. */
  example?: string;
  choices?: string[];
  isSecret?: boolean;
  desc: string;
}

const code = (text: string) => (text === '' ? 'empty' : `\`${text}\``);

function row(name: string, { example, choices, isSecret, desc, ...setting }: Setting): string[] {
  const unset = example === undefined ? ('default' in setting ? '' : '**required**') : code(example);
  const oneOf = choices ? ` One of ${choices.map(code).join(', ')}.` : '';
  const orFile = isSecret ? ` ${code(fileSetting(name))} names a file with it instead.` : '';
  return [code(name), unset, `${desc}${oneOf}${orFile}`];
}

/** A table as Markdown. */
function toTable(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The text with the block between two marks replaced. */
function replaceBlock(text: string, name: string, block: string): string {
  const marked = new RegExp(`(<!-- ${name} -->\\n)[^]*(<!-- /${name} -->)`);
  return text.replace(marked, (_all, begin, end) => `${begin}\n${block}\n\n${end}`);
}

/** The table of all variables, as Markdown. */
function variablesTable(): string {
  return groups
    .map(({ title, settings }) => {
      const rows = Object.entries<Setting>(settings).map(([name, setting]) => row(name, setting));
      return `### ${title}\n\n${toTable(['variable', 'default', 'meaning'], rows)}`;
    })
    .join('\n\n');
}

const mib = 1024 ** 2;
const amountOf = (amount: number) => (amount < mib ? `${amount}` : `${amount / mib} MiB`);
/** A limit is a number, or the name of a setting. */
const limitOf = (limit: string | number) => (typeof limit === 'string' ? `\`${limit}\`` : `${limit}`);
const withNote = (text: string, note?: string) => (note ? `${text} (${note})` : text);

const capacityRow = ({ what, client, limit, waitMs, note }: CapacityLimit) => [
  withNote(what, note),
  amountOf(limit),
  `${amountOf(Math.ceil(sharePerClient * limit))} per ${client}`,
  waitMs === undefined ? '' : `${waitMs / 1_000} s`,
];

/** The tables of all limits, as Markdown. */
function limitTables(): string {
  const rateRows = Object.values(rates).map((rate) => {
    const limit = 'seconds' in rate ? `${rate.limit} in ${rate.seconds / 3_600} h` : limitOf(rate.limit);
    return [rate.what, rate.client, withNote(limit, rate.note)];
  });
  const quotaRows = Object.values(quotas).map(({ what, client, limit }) => [what, client, limitOf(limit)]);
  return [
    '### Rates: how often',
    toTable(['what', 'per', 'limit'], rateRows),
    '### Quotas: how much is kept',
    toTable(['what', 'per', 'limit'], quotaRows),
    '### Capacities: how much one API process handles at once',
    toTable(['what', 'limit', 'your share', 'longest wait'], Object.values(capacities).map(capacityRow)),
  ].join('\n\n');
}

const everywhere = 4;
const processesOf = ({ of }: MetricDefinition) => (of.length === everywhere ? 'all' : of.join(', '));

/** The table of all metrics, as Markdown. */
function metricsTable(): string {
  const rows = Object.entries<MetricDefinition>(metricTable).map(([name, metric]) => [
    code(name),
    metric.type,
    metric.labels.map(code).join(', '),
    processesOf(metric),
    metric.help,
  ]);
  return toTable(['metric', 'type', 'labels', 'of', 'what it tells'], rows);
}

/** The text of the page with current tables. */
export const withTables = (text: string): string =>
  Object.entries({ variables: variablesTable(), limits: limitTables(), metrics: metricsTable() }).reduce(
    (page, [name, block]) => replaceBlock(page, name, block),
    text,
  );

export const readPage = () => readFileSync(page, 'utf8');

if (import.meta.main) writeFileSync(page, withTables(readPage()));
