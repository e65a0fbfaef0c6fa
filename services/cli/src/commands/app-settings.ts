import { Option } from 'commander';
import { CliError } from '../cli-error.ts';
import { numberOption } from '../output/number-option.ts';

const types = ['mobile', 'web', 'server', 'desktop', 'other'];

export const typeOption = () => new Option('--type <type>', 'what kind of program uploads').choices(types);

/** A setting of an application. A field such as `refused.limit` is a member of a field. */
interface Setting {
  option: Option;
  field: string;
  read: (given: string) => unknown;
}

const asGiven = (given: string) => given;

const isOn = (flags: string, about: string, field: string): Setting => ({
  option: new Option(`${flags} <state>`, about).choices(['on', 'off']),
  field,
  read: (given) => given === 'on',
});

const orNull =
  (read: Setting['read']): Setting['read'] =>
  (given) =>
    given === 'off' ? null : read(given);

export const settings: Setting[] = [
  { option: new Option('--name <name>', 'another name'), field: 'name', read: asGiven },
  { option: typeOption(), field: 'type', read: asGiven },
  isOn('--key-required', 'whether uploads need an ingest key', 'key_required'),
  {
    option: new Option(
      '--origins <origins>',
      'whose web pages may upload, separated by commas; off: no rule',
    ),
    field: 'allowed_origins',
    read: (given) => (given === 'off' ? [] : given.split(',')),
  },
  {
    option: numberOption('--retention-days <days>', 'older entries are deleted; off: none are', 3_650, 'off'),
    field: 'retention_days',
    read: orNull(Number),
  },
  {
    option: new Option(
      '--archive <id>',
      'older entries go only once this archive has them, and exports read both; off: they are deleted',
    ),
    field: 'archive',
    read: orNull(asGiven),
  },
  {
    option: new Option(
      '--unique <path>',
      'JSON Pointer to a member: one entry is stored for each value of it; off: any number',
    ),
    field: 'unique',
    read: orNull((path) => ({ path })),
  },
  {
    option: numberOption(
      '--unique-days <days>',
      'with --unique: a value is free again after so many days',
      3_650,
    ),
    field: 'unique.days',
    read: Number,
  },
  isOn('--refused-keep', 'whether refused uploads are kept', 'refused.keep'),
  {
    option: numberOption('--refused-limit <count>', 'how many refused uploads are kept', 100_000),
    field: 'refused.limit',
    read: Number,
  },
  {
    option: numberOption('--refused-days <days>', 'how long refused uploads are kept', 365),
    field: 'refused.days',
    read: Number,
  },
];

interface SettingsChange {
  retention_days?: number | null;
  archive?: string | null;
  refused?: object;
}

/** The body of the request. Throws CliError. */
export function toChange(options: Record<string, string | boolean>): SettingsChange {
  const change: Record<string, unknown> = {};
  for (const { option, field, read } of settings) {
    const given = options[option.attributeName()];
    if (typeof given !== 'string') continue;
    const value = read(given);
    const [name = '', member] = field.split('.');
    change[name] = member ? { ...(change[name] as object), [member]: value } : value;
  }
  const { unique } = change;
  if (unique && !('path' in (unique as object))) throw new CliError('--unique-days needs --unique PATH');
  if (Object.keys(change).length === 0) throw new CliError('name what to change: see `sluice help apps set`');
  return change;
}
