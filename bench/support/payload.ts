const text = (more = {}) => ({ type: 'string', ...more });
const number = (more = {}) => ({ type: 'number', ...more });

const ten = {
  id: text({ minLength: 1, maxLength: 64 }),
  at: text({ format: 'date-time' }),
  station: text({ maxLength: 100 }),
  kind: text({ enum: ['hourly', 'daily', 'event'] }),
  latitude: number({ minimum: -90, maximum: 90 }),
  longitude: number({ minimum: -180, maximum: 180 }),
  count: { type: 'integer', minimum: 0 },
  ok: { type: 'boolean' },
  samples: { type: 'array', items: number() },
  note: text(),
};

const object = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const { station, latitude, longitude, samples, note, ...flat } = ten;
const nestedSchema = object({
  ...flat,
  place: object({ name: station, position: object({ latitude, longitude }) }),
  measured: object({ samples, note: object({ text: note }) }),
});

const kinds = [text(), { type: 'integer', minimum: 0 }, { type: 'boolean' }];
const names = Array.from({ length: 300 }, (_, i) => `property_${String(i).padStart(3, '0')}`);
const threeHundred = Object.fromEntries(names.map((name, i) => [name, kinds[i % 3]]));

export type Width = 10 | 300;
/** `nested`: the ten properties, half of them in objects. */
export type Shape = Width | 'nested';

/** A JSON Schema with required properties, which means the same in every draft. */
export function schemaOf(shape: Shape = 10): Record<string, unknown> {
  if (shape === 'nested') return nestedSchema;
  return object(shape === 10 ? ten : threeHundred);
}

/** A payload for this schema, as JSON of an exact size. */
export function payloadOf(bytes: number, shape: Shape = 10, serial = 0): string {
  if (shape === 'nested') return nested(bytes, serial);
  return shape === 10 ? reading(bytes, serial) : wide(bytes);
}

/** The same as `reading`, in objects. */
function nested(bytes: number, serial: number): string {
  const inObjects = (flat: string): string => {
    const { station: name, latitude, longitude, samples, note: text, ...rest } = JSON.parse(flat);
    const place = { name, position: { latitude, longitude } };
    return JSON.stringify({ ...rest, place, measured: { samples, note: { text } } });
  };
  const more = inObjects(reading(1_024, serial)).length - 1_024;
  return exact(bytes, inObjects(reading(bytes - more, serial)));
}

/** The bytes besides the small properties: a third numbers, the rest words. */
function reading(bytes: number, serial: number): string {
  const small = {
    id: `reading-${String(serial).padStart(6, '0')}`,
    at: '2026-01-31T12:00:00Z',
    station: 'Oslo',
    kind: 'hourly',
    latitude: 59.942,
    longitude: 10.72,
    count: 42,
    ok: true,
  };
  const left = bytes - JSON.stringify({ ...small, samples: [], note: '' }).length;
  const samples = Array.from({ length: left / 18 }, (_, i) => 10 + ((i * 7919) % 8_999) / 100);
  const rest = bytes - JSON.stringify({ ...small, samples, note: '' }).length;
  return exact(bytes, JSON.stringify({ ...small, samples, note: words(rest, serial) }));
}

function wide(bytes: number): string {
  const fill = (length: number) =>
    Object.fromEntries(names.map((name, i) => [name, [words(length, i), i, i % 2 === 0][i % 3]]));
  const left = bytes - JSON.stringify(fill(0)).length;
  const payload = fill(Math.floor(left / 100));
  payload[names[0] as string] = words(Math.floor(left / 100) + (left % 100));
  return exact(bytes, JSON.stringify(payload));
}

const vocabulary =
  'north wind light rain later some fog near the coast river level rising slowly clear night'.split(' ');

function words(length: number, offset = 0): string {
  let all = '';
  for (let i = offset; all.length < length; i++) all += `${vocabulary[(i * 5) % vocabulary.length]} `;
  return all.slice(0, length);
}

function exact(bytes: number, json: string): string {
  if (Buffer.byteLength(json) !== bytes) throw new Error(`${bytes} bytes are too few for this payload`);
  return json;
}
