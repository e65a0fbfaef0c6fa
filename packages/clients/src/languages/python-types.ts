import type { Choice, Field, RecordType, Value } from '../schema/model.ts';
import { comment, literal } from '../texts.ts';
import type { Naming } from '../write/naming.ts';
import { createTypeOf } from '../write/type-of.ts';

const quote = literal.python;
/** Characters of a line. */
const most = 120;
const { typeOf } = createTypeOf({
  scalars: { string: 'str', integer: 'int', number: 'float', boolean: 'bool' },
  // A field may be called `datetime` or `date`.
  formats: { 'date-time': '_datetime.datetime', date: '_datetime.date' },
  any: 'Any',
  list: (of) => `list[${of}]`,
  map: (of) => `dict[str, ${of}]`,
  union: (kinds) => kinds.join(' | '),
  nullable: (type, { kind }) => (kind === 'any' ? type : `${type} | None`),
});

const dateTime = `class DateTime(_datetime.datetime):
    """A time that was read, with its text, which is written back to the letter."""

    text: str | None = None

    @staticmethod
    def read(text: str) -> DateTime:
        """Read a date-time of RFC 3339. Leap seconds and digits beyond microseconds are only in its text."""
        parts = re.fullmatch(r"(.{10}).(.{6})(\\d\\d)(?:\\.(\\d{1,6})\\d*)?(?:[Zz]|(.{6}))", text)
        if parts is None:
            raise ValueError(f"{text} is no date-time")
        day, minute, second, fraction, offset = parts.groups("")
        time = DateTime.fromisoformat(f"{day}T{minute}{min(second, '59')}.{fraction:0<6}{offset or '+00:00'}")
        time.text = text
        return time


def _write_time(time: _datetime.datetime | str) -> str:
    if isinstance(time, str):
        return time
    if isinstance(time, DateTime) and time.text is not None:
        return time.text
    if time.tzinfo is None:
        raise ValueError(f"{time!r} has no time zone")
    return time.isoformat()`;

/** What date-times need, if some field holds one. */
export const timesOf = (records: RecordType[]): string[] =>
  records.some(({ fields }) => fields.some(({ value }) => formatOf(value) === 'date-time'))
    ? [...dateTime.split('\n'), '', '']
    : [];

const formatOf = (value: Value): string | undefined => {
  if (value.kind === 'list' || value.kind === 'map') return formatOf(value.of);
  return value.kind === 'string' ? value.format : undefined;
};

/** As ruff would break the line. */
export function choiceOf(choice: Choice, naming: Naming): string[] {
  const values = choice.values.map(quote);
  const line = `${naming.type(choice)} = Literal[${values.join(', ')}]`;
  if (line.length <= most) return [line];
  return [`${naming.type(choice)} = Literal[`, ...values.map((value) => `    ${value},`), ']'];
}

export function classOf(record: RecordType, naming: Naming): string[] {
  const name = naming.type(record);
  const { fields, isClosed } = record;
  const rest = naming.rest(record);
  const given = [
    ...fields.map((field) => `${naming.field(field)}=${read(field, isClosed, naming)}`),
    ...(isClosed ? [] : [`${rest}=rest or None`]),
  ];
  return [
    '@dataclass(kw_only=True, slots=True)',
    `class ${name}:`,
    `    """${docstring(record.description) || `The type ${name}.`}"""`,
    '',
    ...fields.flatMap((field) => [
      `    ${declared(field, naming)}`,
      ...(docstring(field.description) ? [`    """${docstring(field.description)}"""`] : []),
    ]),
    ...(isClosed ? [] : [`    ${rest}: dict[str, Any] | None = None`, '    """Members of other names."""']),
    ...(given.length > 0 ? [''] : []),
    '    def to_dict(self) -> dict[str, Any]:',
    '        """Write it as JSON has it."""',
    `        result: dict[str, Any] = ${isClosed ? '{}' : `dict(self.${rest} or {})`}`,
    ...fields.flatMap((field) => write(field, naming)),
    '        return result',
    '',
    '    @staticmethod',
    `    def from_dict(data: Mapping[str, Any]) -> ${name}:`,
    '        """Read what JSON has."""',
    // Each field takes its member, so that the others are left.
    ...(isClosed ? [] : ['        rest = dict(data)']),
    ...(given.length > 0
      ? [`        return ${name}(`, ...given.flatMap(argument), '        )']
      : [`        return ${name}()`]),
  ];
}

/** A text of a schema as the sentence between three quotes. */
function docstring(text: string | undefined): string {
  const line = comment(text ?? '').replaceAll('"', "'");
  return line === '' || line.endsWith('.') ? line : `${line}.`;
}

function declared(field: Field, naming: Naming): string {
  const type = typeOf(field.value, naming);
  if (field.isRequired) return `${naming.field(field)}: ${type}`;
  return `${naming.field(field)}: ${field.value.isNullable ? type : `${type} | None`} = None`;
}

function write(field: Field, naming: Naming): string[] {
  const own = `self.${naming.field(field)}`;
  const isSure = !field.isRequired || !field.value.isNullable;
  const made = convert(field.value, own, toJson);
  const set = `result[${quote(field.key)}] = ${isSure || made === own ? made : orNone(made, own)}`;
  return field.isRequired ? [`        ${set}`] : [`        if ${own} is not None:`, `            ${set}`];
}

function read({ key, value, isRequired }: Field, isClosed: boolean, naming: Naming): string {
  const name = quote(key);
  const optional = isClosed ? `data.get(${name})` : `rest.pop(${name}, None)`;
  const required = isClosed ? `data[${name}]` : `rest.pop(${name})`;
  const at = isRequired ? required : optional;
  const make: Make = (leaf, from) => fromJson(leaf, from, naming);
  if (isRequired && !value.isNullable) return convert(value, at, make);
  const made = convert(value, 'found', make);
  return made === 'found' ? at : orNone(made, `(found := ${at})`);
}

/** The expression that converts a value without others in it. */
type Make = (leaf: Value, at: string) => string;

const toJson: Make = (leaf, at) => {
  if (leaf.kind === 'record') return `${at}.to_dict()`;
  const format = formatOf(leaf);
  if (format === 'date-time') return `_write_time(${at})`;
  return format === 'date' ? `str(${at})` : at;
};

function fromJson(leaf: Value, at: string, naming: Naming): string {
  if (leaf.kind === 'record') return `${naming.type(leaf.record)}.from_dict(${at})`;
  const format = formatOf(leaf);
  if (format === 'date-time') return `DateTime.read(${at})`;
  return format === 'date' ? `_datetime.date.fromisoformat(${at})` : at;
}

/** The expression that converts the value at `at`, which is not None, to JSON or from JSON. */
function convert(value: Value, at: string, make: Make, depth = 1): string {
  if (value.kind !== 'list' && value.kind !== 'map') return make(value, at);
  const item = `v${depth}`;
  const ofItem = convert(value.of, item, make, depth + 1);
  if (ofItem === item) return at;
  const made = value.of.isNullable ? orNone(ofItem, item) : ofItem;
  if (value.kind === 'list') return `[${made} for ${item} in ${at}]`;
  return `{k${depth}: ${made} for k${depth}, ${item} in ${at}.items()}`;
}

const orNone = (made: string, at: string) => `None if ${at} is None else ${made}`;

/** As ruff would break it. */
const argument = (text: string) => {
  const line = `            ${text},`;
  if (line.length <= most) return [line];
  return line
    .replace(/ (if \(found := .*?\) is None) else /, '\n            $1\n            else ')
    .split('\n');
};
