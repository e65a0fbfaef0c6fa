import { parseArgs } from 'node:util';

export const partNames = [
  'singles',
  'batches',
  'latency',
  'sizes',
  'applications',
  'scale',
  'soak',
  'overload',
  'stored',
  'exports',
  'archives',
  'questions',
  'imports',
  'rehearsals',
  'refusals',
  'deletions',
  'listing',
  'neighbours',
  'webhooks',
] as const;
export type PartName = (typeof partNames)[number];

const usual: PartName[] = ['singles', 'batches', 'latency'];

export const usage = `Usage: npm run bench -- [parts] [options]

Parts: ${partNames.join(' ')}
       (${usual.join(' ')} when none is named)

  --rounds N            rounds of every measurement (5)
  --seconds N           length of a round (5)
  --warm-up N           seconds before each round that do not count (1)
  --minutes N           length of the soak (10)
  --overload-seconds N  length of the overload (30)
  --entries N           entries of "stored", "listing" (10000000), "exports", "archives", "imports", "rehearsals", "deletions", "questions" (1000000)
  --nested              entries of "questions" have objects in objects
  --applications LIST   numbers of applications to compare (1,1000,3000,10000)
  --schemas KIND        schemas of these applications: different, or the same (different)
  --before DIR          an older checkout, made ready by \`npm run setup\`, to measure beside this one in "singles", "batches" and "refusals"
  --out FILE            where the results go (bench/results.md)`;

const defaults = {
  rounds: '5',
  seconds: '5',
  'warm-up': '1',
  minutes: '10',
  'overload-seconds': '30',
  entries: '',
  applications: '1,1000,3000,10000',
  schemas: 'different',
  before: '',
  out: 'bench/results.md',
};

export type Options = NonNullable<ReturnType<typeof readOptions>>;

/** Undefined if the user asks for help. Throws for wrong options. */
export function readOptions(argv: string[]) {
  const named = Object.fromEntries(
    Object.entries(defaults).map(([name, text]) => [name, { type: 'string' as const, default: text }]),
  );
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { ...named, nested: { type: 'boolean' as const }, help: { type: 'boolean' as const } },
  });
  if (values.help) return undefined;
  const text = values as unknown as typeof defaults;
  const unknown = positionals.filter((name) => !partNames.includes(name as PartName));
  if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}; see --help`);
  return {
    parts: (positionals.length > 0 ? positionals : usual) as PartName[],
    rounds: whole('rounds', text.rounds),
    seconds: positive('seconds', text.seconds),
    warmUpSeconds: positive('warm-up', text['warm-up']),
    minutes: positive('minutes', text.minutes),
    overloadSeconds: positive('overload-seconds', text['overload-seconds']),
    /** Undefined for the part's default. */
    entries: text.entries ? whole('entries', text.entries) : undefined,
    nested: values.nested === true,
    applications: text.applications.split(',').map((each) => whole('applications', each)),
    schemas: oneOf('schemas', text.schemas, ['different', 'same']),
    before: text.before || undefined,
    out: text.out,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < Number.POSITIVE_INFINITY)) throw new Error(`--${name} must be a number above 0`);
  return value;
}

function whole(name: string, text: string): number {
  const value = positive(name, text);
  if (!Number.isInteger(value)) throw new Error(`--${name} must be a whole number`);
  return value;
}

function oneOf<T extends string>(name: string, text: string, known: T[]): T {
  const found = known.find((each) => each === text);
  if (!found) throw new Error(`--${name} must be ${known.join(' or ')}`);
  return found;
}
