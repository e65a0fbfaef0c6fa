import { Option } from 'commander';
import { CliError } from '../cli-error.ts';

const types = ['mobile', 'web', 'server', 'desktop', 'other'];

export const typeOption = () => new Option('--type <type>', 'what kind of program uploads').choices(types);

/** A setting of an application. A field such as `refused.limit` is a member of a field. */
interface Setting {
  option: Option;
  field: string;
  read: (given: string, option: Option) => unknown;
}

const setting = (
  flags: string,
  about: string,
  field: string,
  read: Setting['read'] = (given) => given,
): Setting => ({ option: new Option(flags, about), field, read });

const isOn = (flags: string, about: string, field: string): Setting => ({
  option: new Option(`${flags} <state>`, about).choices(['on', 'off']),
  field,
  read: (given) => given === 'on',
});

const orOff =
  (read: Setting['read']): Setting['read'] =>
  (given, option) =>
    given === 'off' ? null : read(given, option);

const toCount = (given: string, { long }: Option, more = ''): number => {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new CliError(`${long} takes a whole number${more}`);
};

export const settings: Setting[] = [
  setting('--name <name>', 'another name', 'name'),
  { option: typeOption(), field: 'type', read: (given) => given },
  isOn('--key-required', 'whether uploads need an ingest key', 'key_required'),
  setting(
    '--origins <origins>',
    'whose web pages may upload, separated by commas; off: no rule',
    'allowed_origins',
    (given) => (given === 'off' ? [] : given.split(',')),
  ),
  setting(
    '--retention-days <days>',
    'older entries are deleted; off: none are',
    'retention_days',
    orOff((given, option) => toCount(given, option, ', or off')),
  ),
  setting(
    '--unique <path>',
    'JSON Pointer to a member: one entry is stored for each value of it; off: any number',
    'unique',
    orOff((path) => ({ path })),
  ),
  setting(
    '--unique-days <days>',
    'with --unique: a value is free again after so many days',
    'unique.days',
    toCount,
  ),
  isOn('--refused-keep', 'whether refused uploads are kept', 'refused.keep'),
  setting('--refused-limit <count>', 'how many refused uploads are kept', 'refused.limit', toCount),
  setting('--refused-days <days>', 'how long refused uploads are kept', 'refused.days', toCount),
];

export interface Change {
  retention_days?: number | null;
  refused?: object;
}

/** The body of the request. Throws CliError. */
export function toChange(options: Record<string, string | boolean>): Change {
  const change: Record<string, unknown> = {};
  for (const { option, field, read } of settings) {
    const given = options[option.attributeName()];
    if (typeof given !== 'string') continue;
    const value = read(given, option);
    const [name = '', member] = field.split('.');
    change[name] = member ? { ...(change[name] as object), [member]: value } : value;
  }
  const { unique } = change;
  if (unique && !('path' in (unique as object))) throw new CliError('--unique-days needs --unique PATH');
  if (Object.keys(change).length === 0) throw new CliError('name what to change: see `sluice help apps set`');
  return change;
}
