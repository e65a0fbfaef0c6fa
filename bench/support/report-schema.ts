const text = (more = {}) => ({ type: 'string', ...more });
const number = (more = {}) => ({ type: 'number', ...more });
const whole = (more = {}) => ({ type: 'integer', ...more });
const object = (properties: object, required: string[]) => ({ type: 'object', properties, required });

export const kinds = ['hourly', 'daily', 'event'];
export const units = ['°C', 'm/s', 'hPa', '%'];

const position = {
  latitude: number({ minimum: -90, maximum: 90 }),
  longitude: number({ minimum: -180, maximum: 180 }),
  place: text({ minLength: 1 }),
};
const reading = { sensor: text({ minLength: 1 }), value: number(), unit: text({ enum: units }) };

const properties = {
  id: text({ minLength: 1, maxLength: 64 }),
  at: text({ format: 'date-time' }),
  day: text({ format: 'date' }),
  author: text({ format: 'email', maxLength: 200 }),
  source: text({ format: 'uri' }),
  station: text({ minLength: 2, maxLength: 100 }),
  kind: text({ enum: kinds }),
  level: whole({ minimum: 1, maximum: 5 }),
  temperature: number({ minimum: -90, maximum: 60 }),
  count: whole({ minimum: 0 }),
  wet: { type: 'boolean' },
  position: object(position, ['latitude', 'longitude']),
  readings: { type: 'array', items: object(reading, ['sensor', 'value']), maxItems: 100 },
  samples: { type: 'array', items: number(), maxItems: 1_000 },
  comment: text({ maxLength: 4_000 }),
};

const required = ['id', 'at', 'author', 'station', 'kind', 'level', 'temperature', 'wet', 'position'];

/** A JSON Schema of 15 properties. Each variant has other names for them. */
export const reportSchema = (variant?: number) =>
  object(
    inVariant(properties, variant),
    required.map((name) => nameIn(name, variant)),
  );

/** Gives the properties of a report the names in the variant. */
export const inVariant = (report: object, variant?: number): Record<string, unknown> =>
  Object.fromEntries(Object.entries(report).map(([name, value]) => [nameIn(name, variant), value]));

const nameIn = (name: string, variant?: number) =>
  variant === undefined ? name : `${name}_${variant.toString(36)}`;
